package accounts_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

func TestParseCompanySlug(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"acme": "acme", " Acme\n": "acme", "a1b": "a1b", "acme-ltd": "acme-ltd",
		strings.Repeat("a", 40): strings.Repeat("a", 40)} {
		if got, err := accounts.ParseCompanySlug(s); err != nil || got != want {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", " ", "ab", "1ab", "-ab", "ab-", "a--b", "a b", "a.b", "a/b", "..", "../..",
		strings.Repeat("a", 41), "äcme", "\u212aelvin", "acme\x00", "\xff\xff\xff", "acme\nx", hostile} {
		if got, err := accounts.ParseCompanySlug(s); err != (accounts.BadCompanySlug(s, false)) || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"api", "API", " login ", "static", "setup", "healthz", "metrics", "admin", "well-known"} {
		if got, err := accounts.ParseCompanySlug(s); err != (accounts.BadCompanySlug(s, true)) || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

const hostile = `<script>alert(1)</script>'; DROP TABLE account; --`

func FuzzParseCompanySlug(f *testing.F) {
	for _, seed := range []string{"acme", "Acme Ltd", "a--b", "api", "\u212a12", "-", "\xff", strings.Repeat("a-", 30)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, slug := range []string{s, accounts.SlugFrom(s)} {
			parsed, err := accounts.ParseCompanySlug(slug)
			if err != nil {
				if parsed != "" || !errors.Is(err, fault.Invalid) || fault.Field(err) != "slug" {
					t.Errorf("%q: %q, %v", slug, parsed, err)
				}
				continue
			}
			if len(parsed) < 3 || len(parsed) > 40 || strings.Trim(parsed, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
				strings.Contains(parsed, "--") ||
				strings.HasPrefix(parsed, "-") || strings.HasSuffix(parsed, "-") ||
				!strings.EqualFold(parsed, strings.TrimSpace(slug)) {
				t.Errorf("%q became %q", slug, parsed)
			}
			if again, err := accounts.ParseCompanySlug(parsed); err != nil || again != parsed {
				t.Errorf("%q read again is %q, %v", parsed, again, err)
			}
		}
	})
}

func TestSlugFrom(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Acme": "acme", "Acme & Sons, Ltd.": "acme-sons-ltd", "3M": "m", "日本": "", "": "", "!!!": "", "Ä-Z": "a-z",
		"Ninja Größe & Söhne":     "ninja-grosse-sohne",
		strings.Repeat("ab ", 40): strings.TrimSuffix(strings.Repeat("ab-", 13)+"a", "-"),
	} {
		if got := accounts.SlugFrom(name); got != want {
			t.Errorf("%q is %q, not %q", name, got, want)
		}
	}
}

func TestParseEmail(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"ana@example.com": "ana@example.com",
		" Ana.O'Neill+x@Example.COM\n": "ana.o'neill+x@example.com", "ä@ö.example": "ä@ö.example"} {
		if got, err := accounts.ParseEmail(s); err != nil || got != want {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", " ", "ana", "@", "ana@", "@example.com", "ana@@example.com",
		"ana@example.com, bob@example.com", "Ana <ana@example.com>", "<ana@example.com>", "a na@example.com",
		"ana@exa mple.com", "ana@example.com\r\nBcc: all@example.com", "ana@example.com\x00", "ana\xff@example.com", strings.Repeat("a", 250) + "@example.com", hostile, "ana@example.com (Ana)",
		"\r\n", "ana@example.com\nx"} {
		if got, err := accounts.ParseEmail(s); err != (accounts.BadEmail()) || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{"ana@example.com", "Ana <ana@example.com>", `"a b"@example.com`, "a@[127.0.0.1]",
		"=?utf-8?q?a?=@example.com", "ana@example.com\n", "\xff@x", "İ@x", "a@\u212a.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		email, err := accounts.ParseEmail(s)
		if err != nil {
			if email != "" || err != (accounts.BadEmail()) {
				t.Errorf("%q: %q, %v", s, email, err)
			}
			return
		}
		if len(email) > 254 || !utf8.ValidString(email) || !strings.Contains(email, "@") ||
			strings.ContainsAny(email, "\r\n\t\x00<>") && !strings.Contains(email, `"`) || email != strings.TrimSpace(email) {
			t.Errorf("%q became %q", s, email)
		}
		if again, err := accounts.ParseEmail(email); err != nil || again != email {
			t.Errorf("%q read again is %q, %v", email, again, err)
		}
	})
}

func TestParseName(t *testing.T) {
	t.Parallel()
	if got, err := accounts.ParseName("name", "  Ana \t de  la Cruz "); err != nil || got != "Ana de la Cruz" {
		t.Errorf("%q, %v", got, err)
	}
	for s, length := range map[string]int{"": 0, " \n": 0, strings.Repeat("ö", 256): 256, "a\x00": 2, "\xff": 1} {
		for _, field := range []string{"name", "company"} {
			_, err := accounts.ParseName(field, s)
			if err != (accounts.BadName(field, length)) || fault.Field(err) != field || !errors.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", s, err)
			}
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"Ana", "", " ", "\x00", "\xff", strings.Repeat("ö", 256)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := accounts.ParseName("name", s)
		if err != nil {
			if name != "" || !errors.Is(err, fault.Invalid) || err.Error() == "" {
				t.Errorf("%q: %q, %v", s, name, err)
			}
			return
		}
		if n := utf8.RuneCountInString(name); n < 1 || n > accounts.MaxName || !utf8.ValidString(name) {
			t.Errorf("%q became %q", s, name)
		}
		if again, err := accounts.ParseName("name", name); err != nil || again != name {
			t.Errorf("%q read again is %q, %v", name, again, err)
		}
	})
}

func TestPassword(t *testing.T) {
	t.Parallel()
	verify := func(password, hash string) bool {
		match, err := accounts.VerifyPassword(context.Background(), password, hash, false)
		if err != nil {
			t.Error(err)
		}
		return match
	}
	for _, good := range []string{"correct horse battery", strings.Repeat("é", 12), strings.Repeat("a", 1024),
		"пароль-пароль", "with\x00zero byte"} {
		hash, err := accounts.HashPassword(good, accounts.DefaultCost)
		if err != nil || !strings.HasPrefix(hash, "$argon2id$") || strings.Contains(hash, good) {
			t.Errorf("%.20q is hashed as %q, %v", good, hash, err)
		}
		if again, _ := accounts.HashPassword(good, accounts.DefaultCost); again == hash {
			t.Errorf("%.20q has no salt", good)
		}
		if !verify(good, hash) {
			t.Errorf("%.20q is not its own", good)
		}
		for _, bad := range []string{"", good + " ", good[1:], strings.ToUpper(good) + "x", strings.Repeat(good, 200)} {
			if verify(bad, hash) {
				t.Errorf("%.20q passes for %.20q", bad, good)
			}
		}
	}
	for _, bad := range []string{"", "12345678901", "éééééé", strings.Repeat("a", 1025), "not UTF-8 \xff\xff"} {
		if hash, err := accounts.HashPassword(bad, accounts.DefaultCost); err != (accounts.BadPassword(len(bad))) ||
			hash != "" {
			t.Errorf("%.20q: %q, %v", bad, hash, err)
		}
	}
	for _, hash := range []string{"", "x", "$argon2id$", "plain"} {
		if verify(hash, hash) || verify("correct horse battery", hash) {
			t.Errorf("%q is no hash, and yet it lets in", hash)
		}
	}
}

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]error{
		"correct horse battery": nil, "q1w2e3r4t5y6": accounts.CommonPassword(), "QwertyQwerty": accounts.CommonPassword(),
		"ana@example.com": accounts.NamedPassword(), "Ana@Example.com2026": accounts.NamedPassword(),
		"__night--flights__": accounts.NamedPassword(), "2026-night-flights": accounts.NamedPassword(),
		"Night Flights Ltd!": accounts.NamedPassword(), "night flights were late": nil, "ana-ana-ana-2026": nil,
		"ana1234567890!?": accounts.NamedPassword(), "482915736024": nil, "12345678901": accounts.BadPassword(11),
	} {
		if err := accounts.CheckPassword(password, "ana@example.com", "Night Flights Ltd.", "night-flights"); err != want {
			t.Errorf("%q: %v, not %v", password, err, want)
		}
	}
}

func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	list := domaintest.OK(gzip.NewReader(domaintest.OK(os.Open("common.txt.gz"))(t)))(t)
	lines := strings.Fields(string(domaintest.OK(io.ReadAll(list))(t)))
	if len(lines) < 40_000 {
		t.Errorf("%d passwords", len(lines))
	}
	for _, line := range lines {
		if err := accounts.CheckPassword(line); err != accounts.CommonPassword() {
			t.Errorf("%q: %v", line, err)
		}
		if err := accounts.CheckPassword(line + "\u00e9"); err != nil {
			t.Errorf("%q and a letter: %v", line, err)
		}
	}
}

func TestPasswordsWaitInLine(t *testing.T) {
	t.Parallel()
	hash := domaintest.OK(accounts.HashPassword("correct horse battery", accounts.DefaultCost))(t)
	left, leave := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			name := context.Background()
			if i >= 4 {
				name = left
			}
			match, err := accounts.VerifyPassword(name, "correct horse battery", hash, false)
			if i < 4 && (!match || err != nil) {
				t.Errorf("who waits gets %v, %v", match, err)
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	leave()
	group.Wait()
}

func TestActor(t *testing.T) {
	t.Parallel()
	if !(accounts.Actor{}).May("operate") {
		t.Error("a browser session lacks a scope")
	}
	token := accounts.Actor{Token: 1, Scopes: []string{"boards:read", "tickets"}}
	for scope, want := range map[string]bool{"boards:read": true, "boards:write": false, "boards": false,
		"tickets:read": false, "": false, "boards:read tickets:write": false} {
		if token.May(scope) != want {
			t.Errorf("may %q: %v", scope, !want)
		}
	}
	name := accounts.Actor{Role: accounts.Viewer}
	if got := accounts.ActorFrom(accounts.WithActor(context.Background(), name)); got.Role != name.Role {
		t.Errorf("%+v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("nobody asks, and yet there is an actor")
		}
	}()
	accounts.ActorFrom(context.Background())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err         error
		kind        error
		field, says string
	}{
		{accounts.BadCompanySlug("x", false), fault.Invalid, "slug", "3 to 40 letters"},
		{accounts.BadCompanySlug("api", true), fault.Invalid, "slug", "Choose another short name"},
		{accounts.BadName("name", 0), fault.Invalid, "name", "Enter your name"},
		{accounts.BadName("company", 0), fault.Invalid, "company", "Enter your company's name"},
		{accounts.BadName("name", 300), fault.Invalid, "name", "300 characters; shorten it to 255"},
		{accounts.BadName("name", 3), fault.Invalid, "name", "Type it again"},
		{accounts.BadEmail(), fault.Invalid, "email", "Enter an email address"},
		{accounts.EmailConflict(), fault.Conflict, "email", "Sign in with it"},
		{accounts.BadPassword(3), fault.Invalid, "password", "at least 12"},
		{accounts.BadPassword(2000), fault.Invalid, "password", "at most 1024 bytes"},
		{accounts.WrongPassword(), fault.Invalid, "password", "Check both"},
		{accounts.SetupClosed(), fault.Conflict, "", "Sign in instead"},
		{accounts.CompanyConflict("acme"), fault.Conflict, "slug", "“acme” is taken. Choose another"},
		{accounts.NotMember(), fault.NotFound, "", "Check the address"},
		{accounts.BadToken(), fault.Unauthenticated, "", "Send a valid API token"},
		{accounts.MissingScope("boards:write"), fault.Forbidden, "", "scope boards:write. Use one"},
		{accounts.ReadOnly(), fault.Forbidden, "", "Ask an admin"},
	} {
		wrapped := fmt.Errorf("use case: %w", c.err)
		if !errors.Is(wrapped, c.kind) || fault.KindOf(wrapped) != c.kind {
			t.Errorf("%T is of the kind %v", c.err, fault.KindOf(wrapped))
		}
		if got := fault.Field(wrapped); got != c.field {
			t.Errorf("%T is about the field %q", c.err, got)
		}
		if got := fault.Message(wrapped); !strings.Contains(got, c.says) || !strings.HasSuffix(got, ".") {
			t.Errorf("%T says %q", c.err, got)
		}
	}
}

func TestCheckToken(t *testing.T) {
	t.Run("a token without a name is refused at its own field", func(t *testing.T) {
		_, err := accounts.CheckToken(accounts.TokenDraft{Scopes: []string{"boards:read"}}, accounts.Actor{})
		if !errors.Is(err, fault.Invalid) || fault.Field(err) != "name" ||
			!strings.Contains(fault.Message(err), "what the token is for") {
			t.Errorf("%v at %q", err, fault.Field(err))
		}
	})
}
