package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/static"
	"github.com/counterfoil/counterfoil/web/respond"
)

// The routes that take a file.
const (
	uploadPath    = "/admin/migrations/:name/runs"
	apiUploadPath = "/api/v1/migrations/:name/runs"
)

// takesFile reports whether a request brings a file to a route that takes one.
func takesFile(c echo.Context) bool {
	return c.Request().Method == http.MethodPost && (c.Path() == uploadPath || c.Path() == apiUploadPath) &&
		respond.HasFile(c)
}

// Routes whose responses may take long.
const (
	feedStreamPath = "/api/v1/feeds/:feed/stream"
	livePath       = "/:company/live"
)

// mayTakeLong reports whether the response to a request may take long, and so is not compressed: a compressor takes a
// megabyte, also while it waits.
func mayTakeLong(c echo.Context) bool {
	return c.Path() == feedStreamPath || c.Path() == livePath || c.QueryParam("wait") != ""
}

// Routes returns all routes.
func Routes() []*echo.Route {
	e := echo.New()
	(&server{}).route(e)
	return e.Routes()
}

// route is the table of routes.
func (s *server) route(e *echo.Echo) {
	pages, admin, public, api := s.pages, s.admin, s.public, s.api

	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/metrics", echo.WrapHandler(s.metrics()))
	e.GET("/static/*", echo.WrapHandler(static.Handler()))
	e.GET("/favicon.ico", s.favicon)
	e.GET("/robots.txt", s.robots)

	open := e.Group("", s.withSession)
	e.GET(respond.FormRoute, public.RequestForm, s.asPublic)
	e.POST(respond.FormRoute, public.SendRequest, s.asPublic)
	e.GET("/t", public.TrackBox, s.asSecret)
	e.GET("/t/:code", public.Track, s.asSecret)
	e.GET("/t/:code/:token", public.TrackPrivately, s.asSecret)
	e.GET("/t/:code/:token/receipt", public.Receipt, s.asSecret)
	e.POST("/t/:code/:token/replies", public.Reply, s.asSecret)

	open.GET("/", pages.Root)
	open.GET("/setup", pages.SetupForm, pages.AtHome)
	open.POST("/setup", pages.SetUp, pages.AtHome)
	open.GET("/login", pages.LoginForm)
	open.POST("/login", pages.LogIn)
	open.POST("/logout", pages.LogOut)
	open.GET("/join/:secret", pages.Join)
	open.POST("/join/:secret", pages.Accept)
	open.GET("/reset/:secret", pages.Reset)
	open.POST("/reset/:secret", pages.UseReset)
	open.GET("/account", pages.Account, s.asUser)
	open.GET("/account/keys", pages.Keys, s.asUser)
	open.POST("/account", pages.RenameAccount, s.asUser)
	open.POST("/account/password", pages.ChangePassword, s.asUser)
	open.POST("/account/epoch", pages.SignOutEverywhere, s.asUser)
	open.POST("/account/tokens/:token/revocation", pages.RevokeOwnToken, s.asUser)
	open.GET("/admin", admin.Overview, s.asUser, s.asOperator)
	open.GET("/admin/companies", admin.Companies, s.asUser, s.asOperator)
	open.POST("/admin/companies", admin.OpenCompany, s.asUser, s.asOperator)

	feeds := open.Group("/admin/feeds", s.asUser, s.asOperator)
	feeds.GET("", admin.Feeds)
	feeds.POST("/republications", admin.Republish)
	feeds.GET("/consumers/:consumer", admin.Consumer)
	feeds.POST("/consumers/:consumer/pause", admin.SwitchConsumer)
	feeds.POST("/consumers/:consumer/cursor", admin.SeekConsumer)
	feeds.GET("/consumers/:consumer/removal", admin.ConsumerRemoval)
	feeds.POST("/consumers/:consumer/removal", admin.DeleteConsumer)
	feeds.GET("/webhooks/:webhook", admin.Webhook)

	codes := open.Group("/admin/refs", s.asUser, s.asOperator)
	codes.GET("", admin.Refs)
	codes.GET("/mints", admin.MintForm)
	codes.POST("/mints", admin.Mint)
	codes.POST("/policy", admin.SetRefPolicy)
	codes.POST("/pause", admin.PauseRefills)
	codes.GET("/lots/:lot/quarantine", admin.QuarantineForm)
	codes.POST("/lots/:lot/quarantine", admin.QuarantineLot)

	control := open.Group("/admin/migrations", s.asUser, s.asOperator)
	control.GET("", admin.Migrations)
	control.GET("/workers", admin.Workers)
	control.POST("/workers/:worker/drain", admin.DrainWorker)
	control.GET("/:name/new", admin.NewRun)
	control.POST("/:name/runs", admin.OpenRun)
	control.GET("/runs/:run/mapping", admin.ImportMapping)
	control.POST("/runs/:run/mapping", admin.OpenImport)
	control.GET("/runs/:run/start", admin.StartForm)
	control.POST("/runs/:run/start", admin.StartRun)
	control.GET("/runs/:run/rejections", admin.Rejections)
	control.GET("/runs/:run/rejections.csv", admin.RejectionsFile)
	control.GET("/runs/:run/report.csv", admin.ReportFile)
	control.GET("/runs/:run", admin.Run)
	control.GET("/runs/:run/live", admin.LiveRun)
	control.POST("/runs/:run/pause", admin.PauseRun)
	control.GET("/runs/:run/cancellation", admin.CancellationForm)
	control.POST("/runs/:run/cancellation", admin.CancelRun)
	control.POST("/runs/:run/dismissal", admin.DismissRun)
	control.POST("/runs/:run/knobs", admin.TurnKnobs)
	control.GET("/runs/:run/tasks/:task", admin.Task)
	control.GET("/runs/:run/failures", admin.Failures)
	control.GET("/runs/:run/failures/:fingerprint", admin.FailuresFile)
	control.GET("/runs/:run/retries", admin.RetriesForm)
	control.POST("/runs/:run/retries", admin.RetryTasks)
	control.GET("/runs/:run/skips", admin.SkipsForm)
	control.POST("/runs/:run/skips", admin.SkipTasks)
	control.GET("/runs/:run/events", admin.Events)

	company := e.Group("/:company", s.withSession, s.asMember)
	company.GET("", pages.Home)
	company.GET("/boards", pages.Home)
	company.GET("/jump", pages.Jump)
	company.GET("/keys", pages.Keys)
	company.POST("/undo", pages.Undo)
	company.POST("/preview", pages.Preview)
	company.GET("/live", pages.Live)
	company.GET("/live/changes", pages.LiveChanges)
	company.GET("/work", pages.Work)
	company.GET("/inbox", pages.Inbox)
	company.POST("/inbox", pages.ReadInbox)
	company.GET("/inbox/unread", pages.Unread)
	company.POST("/inbox/:entry", pages.ReadEntry)

	company.POST("/boards", pages.OpenBoard)
	company.GET("/boards/:board", pages.Board)
	company.GET("/boards/:board/settings", pages.BoardSettings)
	company.POST("/boards/:board/settings", pages.RenameBoard)
	company.POST("/boards/:board/archive", pages.ArchiveBoard)
	company.POST("/boards/:board/form", pages.SaveForm)
	company.POST("/boards/:board/form/watch", pages.WatchRequests)
	company.GET("/boards/:board/members", pages.BoardMembers)
	company.POST("/boards/:board/members", pages.NameOnBoard)
	company.POST("/boards/:board/members/:kind/:member", pages.SetBoardRole)
	company.POST("/boards/:board/members/:kind/:member/removal", pages.DropFromBoard)
	company.POST("/boards/:board/privacy", pages.SetBoardPrivacy)
	company.GET("/boards/:board/deleted", pages.DeletedTickets)
	company.POST("/boards/:board/columns", pages.OpenColumn)
	company.GET("/boards/:board/columns/:column", pages.Column)
	company.POST("/boards/:board/columns/:column", pages.SaveColumn)
	company.GET("/boards/:board/columns/:column/removal", pages.RemovalForm)
	company.POST("/boards/:board/columns/:column/removal", pages.RemoveColumn)
	company.GET("/boards/:board/tickets/new", pages.NewTicket)
	company.POST("/boards/:board/tickets", pages.OpenTicket)

	company.GET("/:key", pages.Ticket)
	company.POST("/:key", pages.SaveTicket)
	company.GET("/:key/edit", pages.EditTicket)
	company.GET("/:key/position", pages.PositionForm)
	company.POST("/:key/position", pages.MoveTicket)
	company.POST("/:key/closure", pages.CloseTicket)
	company.GET("/:key/deletion", pages.DeletionForm)
	company.POST("/:key/deletion", pages.DeleteTicket)
	company.POST("/:key/restoration", pages.RestoreTicket)
	company.GET("/:key/activity", pages.Activity)
	company.GET("/:key/activity/:entry", pages.ActivityEntry)
	company.GET("/:key/assignees", pages.AssignForm)
	company.POST("/:key/assignees", pages.AssignTicket)
	company.POST("/:key/mute", pages.Mute)
	company.POST("/:key/link", pages.NewRequestLink)
	company.POST("/:key/link/revocation", pages.RevokeRequestLink)
	company.GET("/:key/comments", pages.Comments)
	company.POST("/:key/comments", pages.AddComment)
	company.GET("/:key/comments/:comment", pages.Comment)
	company.POST("/:key/comments/:comment", pages.SaveComment)
	company.GET("/:key/comments/:comment/edit", pages.EditComment)
	company.POST("/:key/comments/:comment/removal", pages.RemoveComment)
	company.POST("/:key/comments/:comment/restoration", pages.RestoreComment)

	company.GET("/images/:hash", pages.Image)
	company.GET("/images/:hash/"+strconv.Itoa(images.ThumbnailWidth), pages.Thumbnail)

	company.GET("/people", pages.Members)
	company.GET("/people/mentions", pages.Mentions)
	company.GET("/people/invitations", pages.Members)
	company.POST("/people/invitations", pages.Invite)
	company.POST("/people/invitations/:invitation/revocation", pages.RevokeInvitation)
	company.GET("/people/:account", pages.Member)
	company.POST("/people/:account/role", pages.ChangeRole)
	company.POST("/people/:account/removal", pages.RemoveMember)
	company.POST("/people/:account/resets", pages.MakeReset)
	company.POST("/people/:account/operator", pages.SetOperator)
	company.GET("/tokens", pages.Tokens)
	company.POST("/tokens", pages.MakeToken)
	company.POST("/tokens/:token/revocation", pages.RevokeToken)
	company.GET("/settings", pages.CompanySettings)
	company.POST("/settings", pages.RenameCompany)
	company.GET("/settings/webhooks", pages.Webhooks)
	company.POST("/settings/webhooks", pages.OpenWebhook)
	company.GET("/settings/webhooks/:webhook", pages.Webhook)
	company.POST("/settings/webhooks/:webhook", pages.SaveWebhook)
	company.POST("/settings/webhooks/:webhook/state", pages.SwitchWebhook)
	company.POST("/settings/webhooks/:webhook/secret", pages.RotateSecret)
	company.POST("/settings/webhooks/:webhook/tests", pages.TestWebhook)
	company.GET("/settings/webhooks/:webhook/removal", pages.WebhookRemoval)
	company.POST("/settings/webhooks/:webhook/removal", pages.DeleteWebhook)
	company.GET("/settings/webhooks/:webhook/deliveries/:delivery", pages.Delivery)
	company.POST("/settings/webhooks/:webhook/deliveries/:delivery/resends", pages.ResendDelivery)
	company.GET("/audit", pages.Audit)

	v1 := e.Group("/api/v1", api.AsBearer)
	v1.GET("/boards", api.Boards)
	v1.POST("/boards", api.OpenBoard)
	v1.GET("/boards/:board", api.Board)
	v1.PATCH("/boards/:board", api.RenameBoard)
	v1.PUT("/boards/:board/archive", api.ArchiveBoard)
	v1.DELETE("/boards/:board/archive", api.RestoreBoard)
	v1.POST("/boards/:board/columns", api.OpenColumn)
	v1.PATCH("/boards/:board/columns/:column", api.EditColumn)
	v1.DELETE("/boards/:board/columns/:column", api.RemoveColumn)
	v1.GET("/boards/:board/tickets", api.Tickets)
	v1.POST("/boards/:board/tickets", api.OpenTicket)
	v1.GET("/tickets/:key", api.Ticket)
	v1.PATCH("/tickets/:key", api.EditTicket)
	v1.DELETE("/tickets/:key", api.DeleteTicket)
	v1.POST("/tickets/:key/position", api.MoveTicket)
	v1.PUT("/tickets/:key/closure", api.CloseTicket)
	v1.DELETE("/tickets/:key/closure", api.ReopenTicket)
	v1.PUT("/tickets/:key/restoration", api.RestoreTicket)
	v1.PUT("/tickets/:key/assignees", api.SetAssignees)
	v1.GET("/tickets/:key/comments", api.Comments)
	v1.POST("/tickets/:key/comments", api.AddComment)
	v1.PATCH("/tickets/:key/comments/:comment", api.EditComment)
	v1.DELETE("/tickets/:key/comments/:comment", api.DeleteComment)

	v1.GET("/refs", api.Refs)
	v1.POST("/refs/pop", api.PopRefs)
	v1.GET("/refs/lots", api.Lots)
	v1.PUT("/refs/lots/:lot/quarantine", api.QuarantineLot)
	v1.GET("/feeds/:feed", api.Feed)
	v1.GET("/feeds/:feed/stream", api.FeedStream)
	v1.GET("/feeds/:feed/audit", api.FeedAudit)
	v1.POST("/feeds/:feed/republish", api.Republish)
	v1.GET("/consumers", api.Consumers)
	v1.POST("/feeds/:feed/consumers", api.RegisterConsumer)
	v1.GET("/feeds/:feed/consumers/:consumer", api.Consumer)
	v1.DELETE("/feeds/:feed/consumers/:consumer", api.DeleteConsumer)
	v1.PUT("/feeds/:feed/consumers/:consumer/cursor", api.MoveConsumer)
	v1.PUT("/feeds/:feed/consumers/:consumer/pause", api.PauseConsumer)
	v1.DELETE("/feeds/:feed/consumers/:consumer/pause", api.ResumeConsumer)

	v1.GET("/migrations", api.Migrations)
	v1.POST("/migrations/:name/runs", api.OpenRun)
	v1.GET("/runs", api.Runs)
	v1.GET("/runs/:run", api.Run)
	v1.PATCH("/runs/:run", api.TurnKnobs)
	v1.POST("/runs/:run/start", api.StartRun)
	v1.POST("/runs/:run/pause", api.PauseRun)
	v1.POST("/runs/:run/resume", api.ResumeRun)
	v1.POST("/runs/:run/cancel", api.CancelRun)
	v1.PUT("/runs/:run/dismissal", api.DismissRun)
	v1.GET("/runs/:run/tasks", api.Tasks)
	v1.GET("/runs/:run/tasks/:task", api.Task)
	v1.GET("/runs/:run/events", api.Events)
	v1.GET("/runs/:run/failures", api.Failures)
	v1.GET("/runs/:run/failures.csv", api.FailuresFile)
	v1.GET("/runs/:run/rejections", api.Rejections)
	v1.GET("/runs/:run/rejections.csv", api.RejectionsFile)
	v1.GET("/runs/:run/report.csv", api.ReportFile)
	v1.POST("/runs/:run/retry", api.RetryTasks)
	v1.POST("/runs/:run/skip", api.SkipTasks)
	v1.GET("/workers", api.Workers)
	v1.PUT("/workers/:worker/drain", api.DrainWorker)
	v1.DELETE("/workers/:worker/drain", api.UndrainWorker)

	for _, group := range []*echo.Group{open, feeds, codes, control, company, v1} {
		group.RouteNotFound("", s.notFound)
		group.RouteNotFound("/*", s.notFound)
	}
	s.paths = pathsOf(e.Routes())
}
