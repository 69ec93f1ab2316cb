package search

import "testing"

func TestPhrase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phrase, text string
		want         bool
	}{
		{"paint the door", "Please paint the door, then wait", true},
		{"paint the door", "Paint  the\nDOOR!", true},
		{"paint the door", "the door: paint it", false},
		{"paint the door", "repaint the door", false},
		{"paint the door", "paint the doors", false},
		{"paint the door", "paint the red door", false},
		{"café table", "CAFE-TABLE", true},
		{"don't panic", "Don’t panic", true},
		{"parseHTTPRequest failed", "parse_http_request failed", true},
		{"user id", "user_id", false},
		{"東京駅", "新東京駅前", true},
		{"東京駅", "京駅と東京", false},
		{"東京", "東は京", false},
		{"京駅 API", "東京駅 API", true},
		{"京駅 API", "東京駅 APIs", false},
		{"אתר השיגור", "זה אתר השיגור שלנו", true},
	} {
		phrase, ok := NewPhrase(c.phrase)
		if !ok {
			t.Errorf("%q is no phrase", c.phrase)
		}
		if got := phrase.In(c.text); got != c.want {
			t.Errorf("%q in %q: %v", c.phrase, c.text, got)
		}
	}
	for _, text := range []string{"", "door", " - ", "parseHTTPRequest"} {
		if _, ok := NewPhrase(text); ok {
			t.Errorf("%q is a phrase", text)
		}
	}
}
