package pages

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// SetAvatar gives the user's account the picture that the form has.
func (h *Handlers) SetAvatar(c echo.Context) error {
	user := respond.User(c)
	file, err := receiveAvatar(c)
	if err == nil {
		err = h.workflows.SetAvatar(c.Request().Context(), user.ID, file)
	}
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showAccount(c, code, pages.AccountProps{Name: user.Name, Errors: messages})
	}
	return h.respond.SeeOther(c, views.AccountPath, "Your picture is saved.")
}

// receiveAvatar returns the file of a form, whole.
func receiveAvatar(c echo.Context) ([]byte, error) {
	choose := accounts.BadAvatar("Choose a file: PNG, JPEG, GIF or WebP.")
	if !respond.HasFile(c) {
		return nil, choose
	}
	form := respond.UploadOf(c, accounts.MaxAvatar, accounts.AvatarTooLarge())
	defer form.Close()
	if err := form.Receive(); err != nil {
		return nil, form.Why(err)
	}
	if form.File == nil {
		return nil, choose
	}
	file, err := io.ReadAll(form.File)
	return file, form.Why(err)
}

func (h *Handlers) RemoveAvatar(c echo.Context) error {
	if err := h.workflows.RemoveAvatar(c.Request().Context(), respond.User(c).ID); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.AccountPath, "Your picture is removed.")
}

// OwnAvatar is the picture of the user's account, for pages outside a company.
func (h *Handlers) OwnAvatar(c echo.Context) error { return h.showAvatar(c, respond.User(c).ID) }

// Picture is the picture of an account whose name pages of the company show.
func (h *Handlers) Avatar(c echo.Context) error {
	account, err := respond.RowID[id.Account](c.Param("account"), accounts.AvatarNotFound())
	if err != nil {
		return err
	}
	return h.showAvatar(c, account)
}

// showAvatar never sends another picture under the same address, so browsers may keep it.
func (h *Handlers) showAvatar(c echo.Context, account id.Account) error {
	content, kind, err := h.workflows.Avatar(c.Request().Context(), account, c.Param("avatar"))
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "private, max-age=31536000, immutable")
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	return c.Blob(http.StatusOK, kind, content)
}
