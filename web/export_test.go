package web

import (
	"net"

	"github.com/labstack/echo/v4"
)

// Routes returns every route there is.
func Routes() []*echo.Route {
	e := echo.New()
	(&server{}).route(e)
	return e.Routes()
}

// ClientAddress is how an address is read from a request.
func ClientAddress(proxies []*net.IPNet) echo.IPExtractor { return clientAddress(proxies) }
