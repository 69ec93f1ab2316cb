package public

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// Calendar is the file of a calendar address. Programs ask for it every so often, with nothing but the address.
func (h *Handlers) Calendar(c echo.Context) error {
	dates, err := h.workflows.DueDatesBy(c.Request().Context(), strings.TrimSuffix(c.Param("secret"), ".ics"))
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "private, max-age=300")
	head.Set("Content-Disposition", `inline; filename="counterfoil.ics"`)
	return c.Blob(http.StatusOK, "text/calendar; charset=utf-8", []byte(calendarOf(dates, h.respond.Base(c), time.Now())))
}

// calendarOf returns due dates in the form of RFC 5545. Those without a time are of the whole day wherever the reader is,
// those with one are moments. base is the public URL, without a slash at the end.
func calendarOf(dates workflows.DueDates, base string, now time.Time) string {
	calendar := ics.NewCalendar()
	calendar.SetProductId("-//Counterfoil//Due dates//EN")
	calendar.SetMethod(ics.MethodPublish)
	calendar.SetXWRCalName(dates.Name)
	calendar.SetRefreshInterval("PT1H")
	calendar.SetXPublishedTTL("PT1H")
	host := base
	if address, err := url.Parse(base); err == nil {
		host = address.Host
	}
	event := func(uid, summary string) *ics.VEvent {
		e := calendar.AddEvent(uid + "@" + host)
		e.SetDtStampTime(now)
		e.SetSummary(summary)
		e.SetTimeTransparency(ics.TransparencyTransparent)
		return e
	}
	if dates.Problem != nil {
		e := event("problem", dates.Name+": "+dates.Problem.Error())
		e.SetAllDayStartAt(now)
		e.SetDescription(base + views.SavedViewsPath(dates.Company.Slug))
	}
	for _, t := range dates.List {
		summary := t.Key.String() + " " + t.Title
		if t.Closed {
			summary = "✓ " + summary
		}
		e := event("ticket-"+strconv.FormatUint(uint64(t.ID), 10), summary)
		address := base + views.TicketPath(dates.Company.Slug, t.Key)
		e.SetURL(address)
		e.SetDescription(t.Column + "\n" + address)
		if t.Due.Timed {
			e.SetStartAt(t.Due.At)
		} else {
			e.SetAllDayStartAt(t.Due.At)
		}
	}
	return calendar.Serialize(ics.WithNewLineWindows)
}
