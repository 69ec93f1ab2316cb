package workflows

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/feeds"
)

// FeedItem is an item of a feed as it goes out: in a page, an event, or a webhook's message.
type FeedItem struct {
	ID         uint64 `json:"id"`
	FeedSyncID string `json:"feed_sync_id"` // a text, for it may be larger than what JavaScript counts exactly
	Deleted    bool   `json:"deleted"`
	Reason     string `json:"reason,omitempty"` // why it is gone where it was not deleted: left_filter
	Data       any    `json:"data"`             // null where it is gone
}

// Wire returns an item as it goes out.
func Wire(item feeds.Item) FeedItem {
	return FeedItem{ID: item.ID, FeedSyncID: strconv.FormatUint(item.Position, 10), Deleted: item.Deleted, Reason: item.Reason, Data: item.Data}
}
