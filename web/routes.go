package web

import (
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/counterfoil/counterfoil/static"
)

// Routes returns every route there is, for whoever must know them all.
func Routes() []*echo.Route {
	e := echo.New()
	(&server{}).route(e)
	return e.Routes()
}

// route is every route there is.
func (s *server) route(e *echo.Echo) {
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/metrics", echo.WrapHandler(promhttp.Handler()))
	e.GET("/static/*", echo.WrapHandler(static.Handler()))
	e.GET("/favicon.ico", s.favicon)
	e.GET("/robots.txt", s.robots)

	open := e.Group("", s.withSession)
	open.GET("/", s.root)
	open.GET("/setup", s.setupForm, s.atHome)
	open.POST("/setup", s.setUp, s.atHome)
	open.GET("/login", s.loginForm)
	open.POST("/login", s.logIn)
	open.POST("/logout", s.logOut)

	company := e.Group("/:company", s.withSession, s.asMember)
	company.GET("", s.home)
	company.GET("/boards", s.home)
	company.GET("/jump", s.jump)
	company.GET("/keys", s.keys)
	company.POST("/boards", s.openBoard)
	company.GET("/boards/:board", s.board)
	company.GET("/boards/:board/settings", s.boardSettings)
	company.POST("/boards/:board/settings", s.renameBoard)
	company.GET("/boards/:board/columns/:column", s.column)
	company.GET("/boards/:board/deleted", s.deletedTickets)
	company.GET("/boards/:board/tickets/new", s.newTicket)
	company.POST("/boards/:board/tickets", s.openTicket)
	company.POST("/undo", s.undo)
	company.GET("/:key", s.ticket)
	company.POST("/:key", s.saveTicket)
	company.GET("/:key/edit", s.editTicket)
	company.GET("/:key/position", s.positionForm)
	company.POST("/:key/position", s.moveTicket)
	company.POST("/:key/closure", s.closeTicket)
	company.GET("/:key/deletion", s.deletionForm)
	company.POST("/:key/deletion", s.deleteTicket)
	company.POST("/:key/restoration", s.restoreTicket)
	company.GET("/:key/activity", s.activity)
	company.GET("/:key/activity/:entry", s.activityEntry)

	api := e.Group("/api/v1", s.asBearer)
	api.GET("/boards", s.apiBoards)
	api.POST("/boards", s.apiOpenBoard)
	api.GET("/boards/:board", s.apiBoard)
	api.PATCH("/boards/:board", s.apiRenameBoard)
	api.GET("/boards/:board/tickets", s.apiTickets)
	api.POST("/boards/:board/tickets", s.apiOpenTicket)
	api.GET("/tickets/:key", s.apiTicket)
	api.PATCH("/tickets/:key", s.apiEditTicket)
	api.DELETE("/tickets/:key", s.apiDeleteTicket)
	api.POST("/tickets/:key/position", s.apiMoveTicket)
	api.GET("/tickets/:key/comments", s.apiComments)
	api.POST("/tickets/:key/comments", s.apiComment)
	api.PATCH("/tickets/:key/comments/:comment", s.apiEditComment)
	api.DELETE("/tickets/:key/comments/:comment", s.apiDeleteComment)
	api.PUT("/tickets/:key/assignees", s.apiAssign)
	api.PUT("/tickets/:key/closure", s.apiCloseTicket)
	api.DELETE("/tickets/:key/closure", s.apiReopenTicket)
	api.PUT("/tickets/:key/restoration", s.apiRestoreTicket)
	api.Any("/*", func(echo.Context) error { return echo.ErrNotFound })
}
