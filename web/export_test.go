package web

import (
	"net"
	"time"

	"github.com/labstack/echo/v4"
)

// ClientAddress is how an address is read from a request.
func ClientAddress(proxies []*net.IPNet) echo.IPExtractor { return clientAddress(proxies) }

// OpenStreams is how many answers go on.
func (h Handler) OpenStreams() int {
	h.streams.mu.Lock()
	defer h.streams.mu.Unlock()
	return h.streams.open
}

// A machine may be slow; only what says so is to be refused for that.
func init() { patience = 5 * time.Minute }
