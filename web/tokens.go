package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) tokens(c echo.Context) error {
	return s.showTokens(c, http.StatusOK, views.TokenForm{Days: 90}, "")
}

// showTokens shows the lists; secret is a token that was just made.
func (s *server) showTokens(c echo.Context, code int, form views.TokenForm, secret string) error {
	ctx := c.Request().Context()
	before, err := goesOn[id.Token](c, "before")
	if err != nil {
		return err
	}
	others, err := goesOn[id.Token](c, "others")
	if err != nil {
		return err
	}
	props := views.TokensProps{Form: form, Secret: secret}
	if props.Own, props.OwnMore, err = s.workflows.Tokens(ctx, before); err != nil {
		return err
	}
	if accounts.ActorFrom(ctx).Manages() {
		if props.Others, props.OthersMore, err = s.workflows.TokensOfOthers(ctx, others); err != nil {
			return err
		}
	}
	props.Page = s.page(c, "API tokens")
	return render(c, code, views.TokensPage(props))
}

func (s *server) makeToken(c echo.Context) error {
	fields, err := c.FormParams()
	if err != nil {
		return echo.ErrBadRequest
	}
	form := views.TokenForm{Name: c.FormValue("name"), Scopes: fields["scopes"]}
	if form.Days, err = strconv.Atoi(c.FormValue("days")); err != nil {
		form.Days = -1 // no choice of ours
	}
	draft := accounts.TokenDraft{Name: form.Name, Scopes: form.Scopes, Days: form.Days}
	token, err := s.workflows.MakeToken(c.Request().Context(), draft)
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showTokens(c, code, form, "")
	}
	// Not a redirect: the token is kept nowhere that another page could read it from.
	return s.showTokens(c, http.StatusCreated, views.TokenForm{Days: 90}, token)
}

func (s *server) revokeToken(c echo.Context) error {
	token, err := rowID[id.Token](c.Param("token"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := s.workflows.RevokeToken(c.Request().Context(), token); err != nil {
		return err
	}
	return s.see(c, views.TokensPath(company(c).Slug), "The token opens nothing any more.")
}
