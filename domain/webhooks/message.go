package webhooks

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Message is a message to send: about a row of a feed, or, if Row is 0, about something else.
type Message struct {
	ID       string // the same each time that it is sent
	Type     string // such as ticket.changed
	Subject  string // the row's name for users, such as its key; "" if it has none
	Feed     string
	Row      uint64
	Position uint64
	At       time.Time // when its content was read
	Data     any       // marshalled as JSON
	Tracking Tracking
}

// RowMessage is the message about a row at a position of an epoch: a restored database uses positions again.
func RowMessage(feed string, epoch, row, position uint64) Message {
	return Message{ID: fmt.Sprintf("%s:%d:%d:%d", feed, epoch, row, position), Feed: feed, Row: row, Position: position}
}

// TypeOf is the type of the message about a row; left says that it left the webhook's board.
func TypeOf(feed string, deleted, left bool) string {
	what := strings.TrimSuffix(feed, "s")
	switch {
	case left:
		return what + ".left"
	case deleted:
		return what + ".deleted"
	}
	return what + ".changed"
}

// Body is the message as it is sent.
func (m Message) Body() ([]byte, error) {
	body, err := json.Marshal(struct {
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
		Data any       `json:"data"`
	}{m.Type, m.At.UTC(), m.Data})
	if err != nil {
		return nil, fmt.Errorf("write message %s: %w", m.ID, err)
	}
	return body, nil
}

// Keys sign messages: the secret, and for a while the one before it.
type Keys [][]byte

// Sign sets the headers of a message, as Standard Webhooks 1.0 says: https://www.standardwebhooks.com.
func (k Keys) Sign(header http.Header, message string, at time.Time, body []byte) error {
	var signatures []string
	for _, key := range k {
		signer, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return fmt.Errorf("sign message: %w", err)
		}
		signature, err := signer.Sign(message, at, body)
		if err != nil {
			return fmt.Errorf("sign message: %w", err)
		}
		signatures = append(signatures, signature)
	}
	header.Set(standardwebhooks.HeaderWebhookID, message)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

func newSecret() []byte {
	secret := make([]byte, 32)
	rand.Read(secret)
	return secret
}

// spell is a secret as receivers are given it.
func spell(secret []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(secret) }
