package db

import (
	"context"
	"net"
	"time"
)

// unanswered is how long a connection may stay without an acknowledgement of the other end before it is dead: while
// data is under way (on Linux), and while none is.
const unanswered = 10 * time.Second

var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 4 * time.Second, Interval: 2 * time.Second, Count: 3},
	Control:         giveUpUnanswered,
}

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialer.DialContext(ctx, network, address)
}
