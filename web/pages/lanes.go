package pages

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// changeLane gives a card that was dragged into another lane what the cards there have in common, and takes what those
// of its old lane have. It returns what can be undone of that.
func (h *Handlers) changeLane(c echo.Context, key tickets.Key) ([]id.Activity, error) {
	from, to := c.FormValue("seen_lane"), c.FormValue("lane")
	if from == to {
		return nil, nil
	}
	ctx := c.Request().Context()
	switch filterOf(c).Lanes {
	case views.LanesByAssignee:
		_, entry, err := h.workflows.AssignTicket(ctx, key,
			workflows.Assignment{Add: laneIDs[id.Account](to), Remove: laneIDs[id.Account](from)})
		return entries(entry.ID), err
	case views.LanesByLabel:
		_, entry, err := h.workflows.LabelTicket(ctx, key,
			workflows.Labelling{Add: laneIDs[id.Label](to), Remove: laneIDs[id.Label](from)})
		return entries(entry.ID), err
	case views.LanesByPriority:
		if to == "" {
			to = tickets.NoPriority.String()
		}
		priority, err := tickets.ParsePriority(to)
		if err != nil {
			return nil, err
		}
		_, entry, err := h.workflows.SetProperties(ctx, key, tickets.PropertyEdit{Priority: &priority})
		return entries(entry.ID), err
	case views.LanesByParent:
		was, badWas := laneKey(from)
		parent, bad := laneKey(to)
		if badWas != nil || bad != nil {
			return nil, echo.ErrBadRequest
		}
		return h.workflows.SetParent(ctx, key, was, parent)
	}
	return nil, nil
}

// laneIDs is the id of a lane, none for that of cards with none.
func laneIDs[T ~uint64](lane string) []T {
	n, err := strconv.ParseUint(lane, 10, 64)
	if err != nil || n == 0 {
		return nil
	}
	return []T{T(n)}
}

func laneKey(lane string) (*tickets.Key, error) {
	if lane == "" {
		return nil, nil
	}
	key, err := tickets.ParseKey(lane)
	return &key, err
}

// entries are those that were made.
func entries(one id.Activity) []id.Activity {
	if one == 0 {
		return nil
	}
	return []id.Activity{one}
}
