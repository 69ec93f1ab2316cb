package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
)

// BadAddress reports an address that no request is made to.
type BadAddress struct{ Address, Why string }

func (e BadAddress) Error() string {
	return fmt.Sprintf("%.300q cannot be requested: %s. Enter an address that begins with https:// or http://.", e.Address,
		e.Why)
}

// RefusedAddress reports an address that may not be reached.
type RefusedAddress struct {
	Host string
	IP   netip.Addr // unset if no name was resolved
	Why  string
	// Denied says that an operator named it: allowing it changes nothing.
	Denied bool

	setting string // that would allow it
}

func (e RefusedAddress) Error() string {
	at := fmt.Sprintf("%q", e.Host)
	if e.IP.IsValid() && e.IP.String() != e.Host {
		at += fmt.Sprintf(" (%q)", e.IP)
	}
	if e.Denied {
		return fmt.Sprintf("%s is blocked: %s. Use another address, or ask an operator to take it out of "+
			"COUNTERFOIL_OUTBOUND_DENY.", at, e.Why)
	}
	return fmt.Sprintf("%s is blocked: %s. To allow it, an operator can add it to %s.", at, e.Why, e.setting)
}

// PlainAddress reports a host that is public, or not known as one's own, and would be sent to without encryption.
type PlainAddress struct{ Host string }

func (e PlainAddress) Error() string {
	return fmt.Sprintf("Messages to %q are sent by https only. Change http to https, or ask an operator to add a host of "+
		"your own network to %s.", e.Host, Webhooks.setting())
}

// IsRefused reports whether a rule for addresses stood against a request, not the network or the other side.
func IsRefused(err error) bool {
	return errors.As(err, new(BadAddress)) || errors.As(err, new(RefusedAddress)) || errors.As(err, new(PlainAddress))
}

// RedirectedAddress reports an address that leads to one which is not asked.
type RedirectedAddress struct {
	Address string
	Err     error // IsRefused
}

func (e RedirectedAddress) Error() string {
	return fmt.Sprintf("%.300q redirects: %v", e.Address, e.Err)
}

// Unwrap returns why it is not asked.
func (e RedirectedAddress) Unwrap() error { return e.Err }

// TooManyRedirects reports an address that leads on and on.
type TooManyRedirects struct {
	Address string
	Limit   int
}

func (e TooManyRedirects) Error() string {
	return fmt.Sprintf("%.300q has more than %d redirects. Use the final address.",
		e.Address, e.Limit)
}

// TooLarge reports an answer that exceeds the limit.
type TooLarge struct {
	Address string
	Limit   int64
}

func (e TooLarge) Error() string {
	return fmt.Sprintf("%.300q is larger than %s, the most accepted. Raise the limit if this is intended.", e.Address,
		size(e.Limit))
}

// TooSlow reports a timeout.
type TooSlow struct{ Address, Why string }

func (e TooSlow) Error() string {
	return fmt.Sprintf("%.300q is too slow: %s. Try again later.", e.Address, e.Why)
}

// Timeout makes this a timeout error as in package net.
func (TooSlow) Timeout() bool { return true }

// Unreachable reports a request that the network failed, or an answer that broke off.
type Unreachable struct {
	Address string
	Err     error
	// Private says that it is no public address: what Err tells of its answer is for operators.
	Private bool
}

func (e Unreachable) Error() string {
	return fmt.Sprintf("%.300q cannot be reached: %s. Try again later.", e.Address, e.cause())
}

// cause is the network's error without the address.
func (e Unreachable) cause() string {
	err := e.Err
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no host with that name"
	case errors.As(err, &dns):
		return "its name cannot be resolved right now"
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

// Unwrap returns the network's error.
func (e Unreachable) Unwrap() error { return e.Err }

// Final reports whether another attempt would end as this one did.
func Final(err error) bool {
	return IsRefused(err) || errors.As(err, new(TooManyRedirects)) || errors.As(err, new(TooLarge))
}

func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
