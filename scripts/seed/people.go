package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// cast are the members of the story.
var cast = []string{"Ana", "Jo", "Sam", "Mira"}

var (
	company = regexp.MustCompile(`/([a-z0-9-]+)/boards/`)
	link    = regexp.MustCompile(`/join/([A-Za-z0-9_-]+)`)
	secret  = regexp.MustCompile(`cfl_[A-Za-z0-9_-]+`)

	atHandle = regexp.MustCompile(`>@([a-z0-9-]+)<`)
)

// gather has the members of the story join by an invitation of the owner's, and keeps a token of each by handle. An
// owner with the handle of one of them is that one.
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
	if page, err = owner.read(home + "/people"); err != nil {
		return err
	}
	s.people[handleOf(page, email)] = s.token
	if page, err = owner.send(home+"/people/invitations",
		url.Values{"role": {"member"}, "days": {"7"}, "many": {"yes"}}); err != nil {
		return err
	}
	invitation := link.FindString(page)
	for _, name := range cast {
		handle := strings.ToLower(name)
		if s.people[handle] != "" {
			continue
		}
		guest := visitor(s.url)
		if err := guest.join(invitation, name, handle, found[1]+".example", password); err != nil {
			return err
		}
		page, err := guest.send(home+"/tokens", url.Values{"name": {"Story"}, "scopes": {"tickets:read", "tickets:write"},
			"days": {"0"}})
		if err != nil {
			return err
		}
		if s.people[handle] = secret.FindString(page); s.people[handle] == "" {
			return fmt.Errorf("%s gets no token", name)
		}
	}
	return nil
}

// handleOf finds the handle of an address in the list of members.
func handleOf(page, email string) string {
	for row := range strings.SplitSeq(page, "<tr") {
		if strings.Contains(strings.ToLower(row), ">"+html.EscapeString(strings.ToLower(email))+"<") {
			if found := atHandle.FindStringSubmatch(row); found != nil {
				return found[1]
			}
		}
	}
	return ""
}

// join accepts an invitation with an unused address, and signs in: jo@acme.example, jo-2@acme.example.
func (b browser) join(invitation, name, handle, domain, password string) (err error) {
	for n := 1; n < 10; n++ {
		address := handle + "@" + domain
		if n > 1 {
			address = fmt.Sprintf("%s-%d@%s", handle, n, domain)
		}
		if _, err := b.send(invitation, url.Values{"name": {name}, "email": {address}, "password": {password}}); err != nil {
			return err
		}
		// Whether the address was free is told by the sign-in alone.
		if _, err = b.send("/login", url.Values{"email": {address}, "password": {password}}); err == nil {
			return nil
		}
	}
	return err
}

// browser sends forms as a browser does.
type browser struct {
	*http.Client
	url string
}

func visitor(address string) browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // its options cannot be wrong
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
		err = fmt.Errorf("%s %s: %s", response.Request.Method, response.Request.URL.Path, response.Status)
		return "", err
	}
	return string(body), err
}
