package accounts

import "strings"

// sign is a word in a user agent, and what it is a sign of.
type sign struct{ word, name string }

// The signs of browsers and systems. The first that is found counts: many browsers also name those that they are like.
var (
	browsers = []sign{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome", "Chrome"},
		{"Safari/", "Safari"},
	}
	systems = []sign{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"}, {"BSD", "BSD"},
	}
)

// Device is the browser and the system that a user agent names, such as "Firefox on Linux", or "".
func Device(userAgent string) string {
	browser, system := find(browsers, userAgent), find(systems, userAgent)
	switch {
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func find(signs []sign, text string) string {
	for _, s := range signs {
		if strings.Contains(text, s.word) {
			return s.name
		}
	}
	return ""
}
