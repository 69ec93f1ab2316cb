package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// joining are those who come by invitation.
var joining = []string{"Jo", "Sam", "Mira"}

var (
	company = regexp.MustCompile(`/([a-z0-9-]+)/boards/`)
	link    = regexp.MustCompile(`/join/([A-Za-z0-9_-]+)`)
	secret  = regexp.MustCompile(`cfl_[A-Za-z0-9_-]+`)
)

// gather has people join by an invitation of the owner's, and notes a token of each by handle.
func (s seeder) gather(email, password string) error {
	owner := visitor(s.url)
	if _, err := owner.send("/login", url.Values{"email": {email}, "password": {password}}); err != nil {
		return err
	}
	page, err := owner.read("/")
	if err != nil {
		return err
	}
	found := company.FindStringSubmatch(page)
	if found == nil {
		return fmt.Errorf("%s sees no board after signing in", email)
	}
	home := "/" + found[1]
	page, err = owner.send(home+"/people/invitations", url.Values{"role": {"member"}, "days": {"7"}, "many": {"yes"}})
	if err != nil {
		return err
	}
	invitation := link.FindString(page)
	s.people["ana"] = s.token
	for _, name := range joining {
		guest, handle := visitor(s.url), strings.ToLower(name)
		if _, err := guest.send(invitation, url.Values{"name": {name}, "email": {handle + "@example.com"}, "password": {password}}); err != nil {
			return err
		}
		page, err := guest.send(home+"/tokens", url.Values{"name": {"Story"}, "scopes": {"tickets:read", "tickets:write"}, "days": {"0"}})
		if err != nil {
			return err
		}
		if s.people[handle] = secret.FindString(page); s.people[handle] == "" {
			return fmt.Errorf("%s gets no token", name)
		}
	}
	return nil
}

// browser sends forms as a browser does.
type browser struct {
	*http.Client
	url string
}

func visitor(address string) browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // it has no options that could be wrong
	}
	return browser{&http.Client{Jar: jar}, address}
}

func (b browser) read(path string) (string, error) { return text(b.Get(b.url + path)) }

func (b browser) send(path string, form url.Values) (string, error) {
	return text(b.PostForm(b.url+path, form))
}

func text(response *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 400 {
		return "", fmt.Errorf("%s %s: %s", response.Request.Method, response.Request.URL.Path, response.Status)
	}
	return string(body), err
}
