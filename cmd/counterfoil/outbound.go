package main

import (
	"errors"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

// Variables of what may be reached though it is no public address. The old one is of before webhooks had a list of
// their own.
const (
	webhookAllow  = "COUNTERFOIL_WEBHOOK_ALLOW"
	pictureAllow  = "COUNTERFOIL_PICTURE_ALLOW"
	issuerAllow   = "COUNTERFOIL_ISSUER_ALLOW"
	downloadAllow = "COUNTERFOIL_DOWNLOAD_ALLOW"
	oldAllow      = "COUNTERFOIL_OUTBOUND_ALLOW"
)

// reach is what the variables of what may be reached say.
type reach struct{ webhooks, pictures, issuers, downloads, deny outbound.List }

func (e environment) reach() (r reach, err error) {
	const wanted = "networks, IP addresses or host names such as 10.1.0.0/16, 192.168.1.5:8080, "
	r.deny, err = readList(outbound.ParseDenylist, "COUNTERFOIL_OUTBOUND_DENY", e.deny, wanted+"printer.example")
	if err != nil {
		return r, err
	}
	r.webhooks, err = readList(outbound.ParseAllowlist, webhookAllow, e.webhookAllow, wanted+"chat.internal")
	if err != nil {
		return r, err
	}
	r.pictures, err = readList(outbound.ParseAllowlist, pictureAllow, e.pictureAllow, wanted+"wiki.internal")
	if err != nil {
		return r, err
	}
	r.issuers, err = readList(outbound.ParseAllowlist, issuerAllow, e.issuerAllow, wanted+"id.internal")
	if err != nil {
		return r, err
	}
	name, value := downloadAllow, e.downloadAllow
	if value == "" {
		name, value = oldAllow, e.oldAllow
	}
	r.downloads, err = readList(outbound.ParseAllowlist, name, value, wanted+"images.internal")
	return r, err
}

// clients are those that hold to it.
func (r reach) clients() []app.Option {
	client := func(purpose outbound.Purpose, allow outbound.List) *outbound.Client {
		return outbound.New(outbound.Options{Purpose: purpose, Allow: allow, Deny: r.deny, Agent: "Counterfoil/" + version})
	}
	return []app.Option{
		app.WithWebhooks(client(outbound.Webhooks, r.webhooks)),
		app.WithPictures(client(outbound.Pictures, r.pictures)),
		app.WithIssuers(client(outbound.Issuers, r.issuers)),
		app.WithDownloads(client(outbound.Downloads, r.downloads)),
	}
}

// readList parses a list, or says which of its entries is wrong.
func readList(
	parse func(string) (outbound.List, error), name, value, wanted string,
) (outbound.List, error) {
	list, err := parse(value)
	var wrong outbound.WrongEntry
	if errors.As(err, &wrong) {
		return list, badEntry(name, wrong.Entry, wanted+", separated by commas")
	}
	return list, err
}

// warnOfOldAllow says what has become of the list that was for downloads and webhooks alike.
func (e environment) warnOfOldAllow() {
	if e.oldAllow == "" {
		return
	}
	what := "it counts for downloads alone; name them in " + downloadAllow
	if e.downloadAllow != "" {
		what = "it is ignored, since " + downloadAllow + " is set"
	}
	e.logger().Warn(oldAllow+" is an old name: "+what+", and the receivers of webhooks in "+webhookAllow,
		"value", e.oldAllow)
}
