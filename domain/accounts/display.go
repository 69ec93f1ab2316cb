package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the names of time zones, also on machines that have none

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// Display is how pages look for a user.
type Display struct {
	Theme    string // one of Themes
	Density  string // one of Densities
	TimeZone string // such as Europe/Berlin; "" for the browser's
	Dates    string // a language of Languages; "" for English
}

// Themes and Densities, the first is the default.
var (
	Themes    = []string{"system", "light", "dark"}
	Densities = []string{"comfortable", "compact"}
)

// Languages are those that dates are written in, with their names for themselves.
var Languages = []struct{ Tag, Name string }{
	{"", "English"}, {"en-GB", "English (UK)"}, {"en-US", "English (US)"}, {"cs", "Čeština"}, {"da", "Dansk"},
	{"de", "Deutsch"}, {"es", "Español"}, {"fi", "Suomi"}, {"fr", "Français"}, {"it", "Italiano"}, {"ja", "日本語"},
	{"ko", "한국어"}, {"nb", "Norsk bokmål"}, {"nl", "Nederlands"}, {"pl", "Polski"}, {"pt-BR", "Português (Brasil)"},
	{"pt-PT", "Português"}, {"ru", "Русский"}, {"sv", "Svenska"}, {"tr", "Türkçe"}, {"uk", "Українська"},
	{"zh-CN", "简体中文"}, {"zh-TW", "繁體中文"},
}

// maxZone is how many characters the name of a time zone may have.
const maxZone = 64

// CodeBadDisplay: a setting of how pages look is none of those that the page offers. Choose one of them.
const CodeBadDisplay fault.Code = "Account.BadDisplay"

func badZone() error {
	return badDisplay("zone", "There is no such time zone. Type a name such as Europe/Berlin, or leave it empty for the browser’s.")
}

func badDisplay(field, why string) error { return fault.Invalid.New(CodeBadDisplay, field, why) }

// Check returns all errors of the settings: BadDisplay.
func (d Display) Check() error {
	var theme, density, zone, dates error
	if !slices.Contains(Themes, d.Theme) {
		theme = badDisplay("theme", "Choose one of the themes.")
	}
	if !slices.Contains(Densities, d.Density) {
		density = badDisplay("density", "Choose one of the densities.")
	}
	if _, ok := Location(d.TimeZone); !ok {
		zone = badZone()
	}
	if !slices.ContainsFunc(Languages, func(l struct{ Tag, Name string }) bool { return l.Tag == d.Dates }) {
		dates = badDisplay("dates", "Choose one of the languages.")
	}
	return fault.Join(theme, density, zone, dates)
}

// Location returns a time zone by its name, UTC for "". ok is false if there is none.
func Location(name string) (location *time.Location, ok bool) {
	if len(name) > maxZone || name == "Local" || strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		return nil, false
	}
	location, err := time.LoadLocation(name)
	return location, err == nil
}

// SetDisplay stores how pages look for an account. It returns BadDisplay.
func SetDisplay(ctx context.Context, tx *db.Tx, account ID, d Display) error {
	if err := d.Check(); err != nil {
		return err
	}
	err := tx.SetDisplay(ctx, db.SetDisplayParams{Theme: d.Theme, Density: d.Density, TimeZone: d.TimeZone, Dates: d.Dates,
		ID: account})
	if err != nil {
		return fmt.Errorf("set display: %w", err)
	}
	return nil
}

// SetZone stores the time zone of an account that has none. It returns BadDisplay.
func SetZone(ctx context.Context, tx *db.Tx, account ID, zone string) error {
	if _, ok := Location(zone); !ok || zone == "" {
		return badZone()
	}
	if err := tx.SetZone(ctx, zone, account); err != nil {
		return fmt.Errorf("set time zone: %w", err)
	}
	return nil
}
