package migrations

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Masked replaces a secret wherever values are shown.
const Masked = "••••••"

// CodeBadParam: a parameter of a migration is missing or wrong. Send what the message says.
const CodeBadParam fault.Code = "Run.BadParameter"

func BadParam(name, why string) error {
	return fault.Invalid.New(CodeBadParam, name, why)
}

// parse returns the values as they are stored, or fault.Several with all that is wrong. Missing ones have their
// defaults.
func (m *Migration) parse(ctx context.Context, given Values) (Values, error) {
	values, err := m.each(ctx, given)
	var bad fault.Several
	if err != nil && !errors.As(err, &bad) {
		return nil, err
	}
	var failed error
	if m.Check != nil {
		failed = m.Check(ctx, maps.Clone(values))
	}
	switch {
	case len(bad) == 0 && failed != nil:
		return nil, failed
	case len(bad) == 0:
		return values, nil
	case errors.Is(failed, fault.Invalid):
		return nil, withOthers(bad, failed)
	}
	return nil, bad // what else Check could not do is for want of the values that are missing
}

// withOthers appends the errors of a check that are about parameters without one: a check of values of which some are
// missing may blame these.
func withOthers(bad fault.Several, err error) fault.Several {
	all := bad
	for _, one := range fault.Each(err) {
		blamed := func(earlier error) bool { return fault.Field(earlier) == fault.Field(one) }
		if !slices.ContainsFunc(bad, blamed) {
			all = append(all, one)
		}
	}
	return all
}

// each parses every parameter on its own. With fault.Several it returns those that are right.
func (m *Migration) each(ctx context.Context, given Values) (Values, error) {
	values, bad := Values{}, fault.Several{}
	for _, p := range m.Params {
		value, err := p.parse(ctx, given[p.Name])
		switch {
		case err == nil:
			values[p.Name] = value
		case errors.Is(err, fault.Invalid):
			bad = append(bad, err)
		default:
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(m.Params, func(p Param) bool { return p.Name == name }) {
			bad = append(bad, BadParam(name, fmt.Sprintf("%s has no parameter “%s”. %s", m.Name, name, m.paramNames())))
		}
	}
	if len(bad) > 0 {
		return values, bad
	}
	return values, nil
}

func (m *Migration) paramNames() string {
	if len(m.Params) == 0 {
		return "It takes none."
	}
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	return "It has: " + strings.Join(names, ", ") + "."
}

// parse returns a value as it is stored, or BadParam.
func (p Param) parse(ctx context.Context, given string) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", BadParam(p.Name, fmt.Sprintf(format, args...))
	}
	if !utf8.ValidString(given) ||
		strings.ContainsFunc(given, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
		return bad("%s has invalid characters. Type it again (UTF-8).", p.Label)
	}
	value := given
	if p.Kind != Secret { // which may begin with a space
		value = strings.TrimSpace(given)
	}
	if value == "" {
		value = p.Default
	}
	if value == "" {
		switch {
		case p.Kind == Flag:
			return "false", nil
		case p.Required && p.Kind == Choice:
			return bad("Choose: %s.", p.Label)
		case p.Required:
			return bad("%s is missing.", p.Label)
		}
		return "", nil
	}
	switch p.Kind {
	case Number:
		return p.parseNumber(value)
	case Flag:
		switch strings.ToLower(value) {
		case "true", "on", "yes", "1":
			return "true", nil
		case "false", "off", "no", "0":
			return "false", nil
		}
		return bad("%s is true or false.", p.Label)
	case Choice:
		return p.parseChoice(ctx, value)
	}
	if n := utf8.RuneCountInString(value); n > p.longest() {
		return bad("%s has %d characters; shorten it to %d.", p.Label, n, p.longest())
	}
	return value, nil
}

func (p Param) longest() int {
	if p.Max > 0 {
		return int(p.Max)
	}
	return 1000
}

func (p Param) parseNumber(value string) (string, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return "", BadParam(p.Name, p.Label+" must be a whole number.")
	}
	bounded := p.Min != 0 || p.Max != 0
	if err != nil || bounded && (n < p.Min || n > p.Max) {
		if !bounded {
			return "", BadParam(p.Name, p.Label+" is too large.")
		}
		return "", BadParam(p.Name, fmt.Sprintf("%s must be from %d to %d.", p.Label, p.Min, p.Max))
	}
	return strconv.FormatInt(n, 10), nil
}

func (p Param) parseChoice(ctx context.Context, value string) (string, error) {
	options, err := p.Choices(ctx)
	if err != nil {
		return "", fmt.Errorf("read what %s can be: %w", p.Name, err)
	}
	if !slices.ContainsFunc(options, func(o Option) bool { return o.Value == value }) {
		return "", BadParam(p.Name, fmt.Sprintf("“%s” is not an option for %s. Choose from the list.", value, p.Label))
	}
	return value, nil
}

// storedParams are the values of a run in its row. Secrets are apart, so that they are masked even if the program no
// longer has the migration.
type storedParams struct {
	Plain  Values `json:"plain"`
	Secret Values `json:"secret,omitempty"`
}

// store returns the text of the values for a run's row.
func (m *Migration) store(values Values) (string, error) {
	s := storedParams{Plain: Values{}, Secret: Values{}}
	for _, p := range m.Params {
		if p.Kind == Secret {
			s.Secret[p.Name] = values[p.Name]
		} else {
			s.Plain[p.Name] = values[p.Name]
		}
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// CheckStoredParams returns an error if the stored parameters of a run cannot be read.
func CheckStoredParams(params string) error {
	_, err := readStoredParams(params)
	return err
}

// HasSecrets reports whether the stored parameters of a run have a secret.
func HasSecrets(params string) bool {
	s, err := readStoredParams(params)
	return err == nil && len(s.Secret) > 0
}

func readStoredParams(params string) (storedParams, error) {
	var s storedParams
	if err := json.Unmarshal([]byte(params), &s); err != nil {
		return s, fmt.Errorf("read parameters: %w", err)
	}
	return s, nil
}

// ClearValues are the values of a run with its secrets, for a worker.
func ClearValues(params string) (Values, error) {
	s, err := readStoredParams(params)
	if err != nil {
		return nil, err
	}
	values := Values{}
	maps.Copy(values, s.Plain)
	maps.Copy(values, s.Secret)
	return values, nil
}

// shownValues are the values of a run, its secrets masked.
func shownValues(params string) (Values, error) {
	s, err := readStoredParams(params)
	if err != nil {
		return nil, err
	}
	values := Values{}
	maps.Copy(values, s.Plain)
	for name, value := range s.Secret {
		values[name] = ""
		if value != "" {
			values[name] = Masked
		}
	}
	return values, nil
}

// secrets are those long enough to be distinct from other text. Each is there also as errors may have it: in an
// address, in quotes, in JSON, in a header.
func (s storedParams) secrets() (list []string) {
	for _, secret := range s.Secret {
		if len(secret) < 4 {
			continue
		}
		quoted := strconv.Quote(secret)
		inJSON, _ := json.Marshal(secret) // a text always can be
		list = append(list, secret, url.QueryEscape(secret), url.PathEscape(secret), quoted[1:len(quoted)-1],
			string(inJSON[1:len(inJSON)-1]),
			strings.TrimPrefix(url.UserPassword("", secret).String(), ":"), base64.StdEncoding.EncodeToString([]byte(secret)))
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // one may contain another
	return slices.Compact(list)
}

// mask takes secrets out of what a migration said: errors like to name the address that was asked, with
// its password.
func mask(secrets []string, text string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, Masked)
	}
	return text
}

// WithoutSecrets masks the secrets of a run's params in a text.
func WithoutSecrets(params, text string) string {
	s, err := readStoredParams(params)
	if err != nil {
		return text
	}
	return mask(s.secrets(), text)
}

// sameKey is the hash that equal runs share: of the migration, whether it is dry, its parameters without secrets, and
// its file. It is nil if several such runs are allowed.
func (m *Migration) sameKey(values Values, dry bool, upload []byte) []byte {
	if m.Several {
		return nil
	}
	plain := map[string]string{}
	for _, p := range m.Params {
		if p.Kind != Secret {
			plain[p.Name] = values[p.Name]
		}
	}
	text, _ := json.Marshal([]any{m.Name, dry, plain, upload}) // maps are in the order of their keys
	sum := sha256.Sum256(text)
	return sum[:]
}

// beside is the key of a run that waits behind one with this key, and the other way round.
func beside(key []byte) []byte {
	other := slices.Clone(key)
	other[0] ^= 1
	return other
}
