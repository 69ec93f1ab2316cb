package feeds

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// MarshalJSON is the item on the wire, the same in an answer, a stream and a webhook: its position is a string,
// for a browser's numbers end at 2^53.
func (i Item) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID        uint64    `json:"id,omitzero"`
		Position  string    `json:"feed_sync_id"`
		Version   uint64    `json:"version,omitempty"`
		UpdatedAt time.Time `json:"updated_at,omitzero"`
		Board     id.Board  `json:"board,omitzero"`
		Deleted   bool      `json:"deleted"`
		Reason    string    `json:"reason,omitempty"`
		Data      any       `json:"data"`
	}{i.ID, strconv.FormatUint(i.Position, 10), i.Version, i.UpdatedAt, i.Board, i.Deleted, i.Reason, i.Data})
}
