package admin

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// FeedsProps are the feeds with their consumers, and the form that republishes rows.
type FeedsProps struct {
	Page          views.Page
	States        []feeds.State
	Consumers     []feeds.Consumer
	ConsumersMore bool
	AfterConsumer id.Consumer // the list begins after it
	Form          RepublishForm
}

// RepublishForm is its input.
type RepublishForm struct {
	Feed, Company, Board, IDs string
	All                       bool
	Errors                    views.Errors
}

// ConsumerProps is a consumer's page, with the form that sets its cursor.
type ConsumerProps struct {
	Page     views.Page
	Consumer feeds.Consumer
	Form     SeekForm
}

// SeekForm is its input. Place is start, end or at.
type SeekForm struct {
	Place, At string
	Errors    views.Errors
}

// ConsumerRemovalProps is the question whether to delete a consumer.
type ConsumerRemovalProps struct {
	Page     views.Page
	Consumer feeds.Consumer
}

// here is the address of the present page.
func (p FeedsProps) here() string { return views.MoreConsumersPath(p.AfterConsumer) }

// most is the largest lag on the page.
func (p FeedsProps) most() uint64 {
	most := uint64(0)
	for _, c := range p.Consumers {
		most = max(most, c.LagRows)
	}
	return most
}

// stuck is the age of an unpublished change from which on something is wrong.
const stuck = 10 * time.Second

// stuck are the feeds with unpublished changes.
func (p FeedsProps) stuck() (list []feeds.State) {
	for _, s := range p.States {
		if s.OldestUnpublished != nil && *s.OldestUnpublished >= stuck {
			list = append(list, s)
		}
	}
	return list
}

// lagWidth is the width of a lag's bar, in thousandths; a lag is always visible.
func lagWidth(lag, most uint64) string {
	if lag == 0 || most == 0 {
		return "0"
	}
	return strconv.Itoa(max(barSliver, int(math.Round(barWidth*float64(lag)/float64(most)))))
}

// lagText is the lag of a reader. Rows that changed again since are among the positions, so the rows are no more than
// these.
func lagText(lag feeds.Lag) string {
	switch {
	case lag.LagRows == 0:
		return "up to date"
	case lag.LagSeconds == 0:
		return views.Counted(int64(lag.LagRows), "row", "rows")
	}
	return views.Counted(int64(lag.LagRows), "row", "rows") + ", " + inSeconds(lag.LagSeconds)
}

// lagLook is the look of a reader's state.
func lagLook(state string) stateLook {
	switch state {
	case feeds.StateOK:
		return stateLook{"Reading", "circle-check", "done"}
	case feeds.StatePaused:
		return stateLook{"Paused", "pause", "held"}
	case feeds.StateExpired:
		return stateLook{"Too far behind", "triangle-alert", "failed"}
	case feeds.StateBefore:
		return stateLook{"From an earlier epoch", "triangle-alert", "failed"}
	case feeds.StateAhead:
		return stateLook{"Ahead of the feed", "triangle-alert", "held"}
	}
	return stateLook{state, "circle-dashed", "idle"}
}

// lagReason is the meaning of a state, with what to do.
func lagReason(state string) string {
	switch state {
	case feeds.StateExpired:
		return "Deletions after its cursor are forgotten: it must read from the start and drop the rows that it does not get."
	case feeds.StateBefore:
		return "The feeds began a new epoch, as after a restore: it must read from the start and drop the rows that it does not get."
	case feeds.StateAhead:
		return "The database server knows less than the reader: that passes in a moment, unless the server was replaced by a copy that lagged. Then begin a new epoch."
	}
	return ""
}

// waited is the age of the oldest unpublished change.
func waited(s feeds.State) string {
	switch {
	case s.OldestUnpublished == nil:
		return "—"
	case *s.OldestUnpublished == 0:
		return "nothing"
	}
	return Spell(*s.OldestUnpublished)
}

// spark is the speed of a feed, ready to be drawn: a bar for each stretch, in a box of one unit for each and a height
// of 100.
type spark struct {
	path      string
	box       string
	now, most float64
}

func sparkOf(rates []feeds.Rate) spark {
	s := spark{box: fmt.Sprintf("0 0 %d 100", max(1, len(rates)))}
	for _, r := range rates {
		s.most, s.now = math.Max(s.most, r.PerSecond()), r.PerSecond()
	}
	var path strings.Builder
	for i, r := range rates {
		if r.Published > 0 { // a rate above 0 is always visible
			fmt.Fprintf(&path, "M%d.1 100V%.1fh.8V100z", i, math.Min(95, 100-100*r.PerSecond()/s.most))
		}
	}
	s.path = path.String()
	return s
}

// words describe the chart to screen readers.
func (s spark) words(feed string) string {
	return fmt.Sprintf("Rows of %s published per second in the last hour: %s in the last two minutes, %s at most.", feed,
		Rate(s.now), Rate(s.most))
}

// seekPlaces are the positions that the form offers.
var seekPlaces = []struct{ value, label string }{
	{"start", "Start: all rows again"},
	{"end", "End: only changes from now on"},
	{"at", "A time or a cursor"},
}

// registering is the call that registers a consumer.
const registering = `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"name": "warehouse"}' $URL/api/v1/feeds/tickets/consumers`
