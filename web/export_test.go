package web

import (
	"net"

	"github.com/labstack/echo/v4"
)

// ClientAddress is how an address is read from a request.
func ClientAddress(proxies []*net.IPNet) echo.IPExtractor { return clientAddress(proxies) }

// OpenStreams is the number of open streams.
func (h Handler) OpenStreams() int {
	return h.streams.Open()
}
