package admin

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// examinedFor is how long the findings of an examination are shown: it asks some twenty questions.
const examinedFor = time.Minute

// examination is the last of the server.
type examination struct {
	mu       sync.Mutex
	findings []admin.Finding
	at       time.Time
}

// examine returns the findings, at most a minute old, and when they were made.
func (h *Handlers) examine(ctx context.Context) ([]admin.Finding, time.Time) {
	if h.about.Examine == nil {
		return nil, time.Time{}
	}
	last := &h.last
	last.mu.Lock()
	defer last.mu.Unlock()
	if time.Since(last.at) < examinedFor {
		return last.findings, last.at
	}
	findings, err := h.about.Examine(ctx)
	if err != nil {
		return []admin.Finding{{Name: "examination", Mark: "problem", Value: "not possible", Why: fault.Message(err)}}, time.Now()
	}
	last.findings, last.at = findings, time.Now()
	return findings, last.at
}

// Doctor shows the findings of “counterfoil doctor”.
func (h *Handlers) Doctor(c echo.Context) error {
	findings, at := h.examine(c.Request().Context())
	return respond.Render(c, http.StatusOK,
		admin.DoctorPage(admin.DoctorProps{Page: h.controlRoom(c, "Doctor"), Findings: findings, At: at}))
}
