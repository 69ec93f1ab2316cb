package outboundtest

import (
	"io"
	"net/http"
	"sync"
)

// Inbox receives messages as a receiver of webhooks does, and keeps them.
type Inbox struct {
	mu       sync.Mutex
	list     []Message
	messages chan Message
	status   func(n int, m Message) int
}

// Message is a received message.
type Message struct {
	Header http.Header
	Body   []byte
	Status int // how it was answered
}

// NewInbox returns an inbox that answers the nth message, from 1 on, with a status; nil answers 204.
func NewInbox(answer func(n int, m Message) int) *Inbox {
	if answer == nil {
		answer = func(int, Message) int { return http.StatusNoContent }
	}
	return &Inbox{status: answer, messages: make(chan Message, 10000)}
}

// Received delivers each message once, in order.
func (i *Inbox) Received() <-chan Message { return i.messages }

// Messages are the messages received so far.
func (i *Inbox) Messages() []Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]Message(nil), i.list...)
}

func (i *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := Message{Header: r.Header, Body: body}
	i.mu.Lock()
	m.Status = i.status(len(i.list)+1, m)
	i.list = append(i.list, m)
	i.mu.Unlock()
	w.WriteHeader(m.Status)
	if m.Status != http.StatusNoContent {
		_, _ = io.WriteString(w, "as told")
	}
	i.messages <- m
}
