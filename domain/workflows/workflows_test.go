package workflows_test

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// house is a database after setup, and its operator.
type house struct {
	*app.App
	db       *db.DB
	ctx      context.Context // the operator asks
	actor    accounts.Actor
	practice boards.Board
	token    string
}

func newHouse(t testing.TB) *house {
	t.Helper()
	d := dbtest.Open(t)
	w := app.New(d)
	t.Cleanup(func() { w.Close(context.Background()) })
	actor, practice, token, err := w.Workflows.SetUp(context.Background(), workflows.Setup{
		Token:   true,
		Company: "Acme", Name: "Ana", Email: "ana@example.com", Password: "correct horse battery",
	})
	if err != nil {
		t.Fatal(err)
	}
	return &house{w, d, accounts.WithActor(context.Background(), actor), actor, practice, token}
}

func (h *house) board(t testing.TB, slug string) boards.Board {
	t.Helper()
	board, err := h.Workflows.OpenBoard(h.ctx, boards.Draft{Slug: slug, Title: "The " + slug + " board"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return board
}
