package seed

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	firstNames = []string{"Ana", "Jo", "Mira", "Sam", "Noor", "Erik", "Leila", "Tomás", "Ines", "Kofi", "Yuki", "Pavel",
		"Rosa", "Amit", "Greta", "Luca", "Sofie", "Omar", "Hanna", "Diego"}
	lastNames = []string{"Olsen", "Mbeki", "Larsen", "Costa", "Novak", "Haddad", "Fischer", "Tanaka", "Rossi", "Dubois",
		"Okafor", "Lindqvist", "Moreau", "Singh", "Weber", "Kowalska", "Santos", "Berg", "Nakamura", "O’Neill"}

	areas = []struct{ slug, title string }{
		{"WEB", "Web shop"}, {"APP", "Phone app"}, {"API", "Public API"}, {"PAY", "Payments"}, {"OPS", "Operations"},
		{"DATA", "Data warehouse"},
		{"INFRA", "Servers and networks"}, {"SEC", "Security"}, {"DOCS", "Handbook"}, {"QA", "Releases"}, {"SALES", "Sales"},
		{"HR", "People"},
		{"LEGAL", "Contracts"}, {"FIN", "Finance"}, {"STOCK", "Warehouse"}, {"MAIL", "Newsletters"}, {"FIND", "Search"},
		{"MAPS", "Delivery routes"},
		{"AUTH", "Accounts and sign-in"}, {"CORE", "Core services"},
	}
	regions = []struct{ slug, title string }{{"", ""}, {"EU", ", Europe"}, {"US", ", America"}, {"AP", ", Asia"}}

	verbs = []string{"Fix", "Add", "Remove", "Rework", "Measure", "Document", "Replace", "Test", "Speed up",
		"Translate", "Check", "Move", "Clean up", "Automate", "Review"}
	subjects = []string{"the order form", "the invoice export", "the nightly backup", "the search index",
		"the sign-in page", "the price list", "the delivery estimate", "the weekly report", "the stock counter",
		"the refund flow", "the onboarding mail", "the phone layout", "the image upload", "the audit log",
		"the rate limiter", "the partner feed", "the address check", "the tax table", "the staging server",
		"the release notes"}
	contexts = []string{"", "", "", " for new customers", " before the sale", " when the cart is empty",
		" on slow networks", " after the upgrade", " in the dark theme", " for the Lisbon office", " without JavaScript",
		" on Sunday nights", " for large orders", " in Norwegian", " behind the proxy"}

	sentences = []string{
		"It was seen twice this week, both times in the early morning.", "The numbers are in the report of last month.",
		"Nobody has touched this since the move to the new building.",
		"A customer from Porto sent a recording that shows it.", "It works on my machine and fails on the staging server.",
		"We agreed to keep the old behaviour for a quarter.",
		"The logs say that the request came in twice.", "The change is small, the test for it is not.",
		"Support gets about ten questions a week about this.",
		"The supplier says that their side is fine.", "It is slow only when the list is longer than a page.",
		"Let us do the simple thing first and measure again.",
		"The deadline is the end of the month; earlier would be better.", "I could not reproduce it with the newest version.",
		"There is a workaround in the handbook.",
		"This blocks the release for the warehouse.", "The translation is ready, the screenshots are not.",
		"It needs a decision before anyone writes code.",
		"We tried this two years ago, and it failed because of the tax rules.",
		"The graph shows a step on the day of the upgrade.",
	}
	replies = []string{
		"Done, please have a look.", "I take this one.", "Can we talk about it tomorrow?", "Same here, since Monday.",
		"Not before the release, please.", "Tested on three phones: fine.",
		"The fix is out; I keep watching the graph for a day.", "Thanks, that explains it.",
		"I have moved it up: two customers asked today.", "Waiting for the supplier.", "Reverted; it broke the export.",
	}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func heading(r *rand.Rand) string {
	return pick(r, verbs) + " " + pick(r, subjects) + pick(r, contexts)
}

// Text is what a ticket of a large company says: its title, its text and its comments.
func Text(r *rand.Rand) (title string, texts []string) {
	title, texts = heading(r), []string{description(r)}
	for range r.IntN(11) {
		texts = append(texts, remark(r, "ana"))
	}
	return title, texts
}

// description is empty for a third of the tickets, and has up to three paragraphs, a list or code.
func description(r *rand.Rand) string {
	var parts []string
	for range r.IntN(4) {
		parts = append(parts, several(r, sentences, 1+r.IntN(4)))
	}
	if len(parts) == 0 {
		return ""
	}
	switch r.IntN(6) {
	case 0:
		parts = append(parts, fmt.Sprintf("- [x] %s\n- [ ] %s\n- [ ] %s", pick(r, sentences), pick(r, sentences),
			pick(r, sentences)))
	case 1:
		parts = append(parts, fmt.Sprintf("```\nerror: order %d: timeout after %d ms\n```", r.IntN(1_000_000),
			1+r.IntN(30_000)))
	}
	return strings.Join(parts, "\n\n")
}

// remark is a comment, which sometimes mentions a member.
func remark(r *rand.Rand, handle string) string {
	text := pick(r, replies)
	if r.IntN(2) == 0 {
		text += " " + several(r, sentences, 1+r.IntN(3))
	}
	if r.IntN(12) == 0 {
		text = "@" + handle + " " + text
	}
	return text
}

func several(r *rand.Rand, from []string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = pick(r, from)
	}
	return strings.Join(list, " ")
}
