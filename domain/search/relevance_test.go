package search_test

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/ops/seed"
)

// judgedTickets are tickets of a company that works in six languages: title, text, comments.
var judgedTickets = [][]string{
	1:  {"Order form loses the address", "Customers report that the address is empty after the second step.", "Seen again on the staging server."},
	2:  {"Invoice export times out", "The nightly export of invoices takes more than an hour.", "parseInvoiceRow(user_id) is slow."},
	3:  {"Rate limiter blocks the partner feed", "The partner polls the feed every second.", "Raise the limit for one address."},
	4:  {"Nightly backup fails on Sundays", "The disk is full because of old invoices.", "Deleted the oldest ones."},
	5:  {"Staging server is slow", "Response times doubled after the upgrade.", "The database has too little memory."},
	6:  {"Sign-in page: wrong password message", "The message says that the account does not exist.", "Use one message for both."},
	7:  {"Password reset mail arrives late", "It took forty minutes yesterday.", "The queue was stuck behind newsletters."},
	8:  {"Newsletter unsubscribe link", "The link in the footer is broken.", "It needs a token."},
	9:  {"Price list for large orders", "Sales asks for a discount column.", "Done for the Lisbon office."},
	10: {"Delivery estimate is one day off", "Daylight saving is not considered.", "Time zones of the customer."},
	11: {"Stock counter goes negative", "Two orders at once take the last item.", "A lock is missing."},
	12: {"Refund flow without JavaScript", "The button does nothing.", "Make it a form."},
	13: {"Image upload rejects WebP", "Pictures from phones are refused.", "mime.TypeByExtension knows no webp."},
	14: {"Audit log misses deletions", "Deleted labels are not recorded.", ""},
	15: {"Tax table for Norway", "The rates of 2027.", "Checked with the accountant."},
	16: {"Search finds nothing with accents", "A search for café returns no results.", "Fold the words."},
	17: {"Dark theme: unreadable chart", "Grey on grey.", "Use the accent colour."},
	18: {"Phone layout of the board", "Columns overlap at 390 pixels.", "Screenshot attached."},
	19: {"HTTP client follows redirects to private addresses", "SSRF by a redirect.", "checkRedirect in httpClient.go"},
	20: {"Deadlock when moving tickets", "Error 1213 in the log of the database.", "Lock columns in ascending order."},
	21: {"Bestellformular verliert die Adresse", "Kunden müssen die Straße zweimal eingeben.", "Betrifft nur große Bestellungen."},
	22: {"Rechnungsexport bricht ab", "Der nächtliche Export dauert über eine Stunde.", "Größe der Datei prüfen."},
	23: {"Übersetzung der Hilfeseiten", "Die Handbücher fehlen auf Deutsch.", "Müller übernimmt das."},
	24: {"Kühlschrank in der Küche", "Er macht Geräusche.", "Der Hausmeister weiß Bescheid."},
	25: {"Le formulaire de commande perd l'adresse", "Les clients saisissent l'adresse deux fois.", "Vérifié à Nîmes."},
	26: {"Export des factures trop lent", "L'export nocturne dure plus d'une heure.", "Élise s'en occupe."},
	27: {"Œuvres complètes: numéro de série", "Le numéro n'est pas affiché.", ""},
	28: {"Форма заказа теряет адрес", "Клиенты вводят адрес дважды.", "Ещё раз проверить на сервере."},
	29: {"Выгрузка счетов слишком медленная", "Ночная выгрузка длится больше часа.", "Увеличить память базы данных."},
	30: {"Перевод справки", "Нет русского перевода.", "Берёт Фёдор."},
	31: {"注文フォームで住所が消える", "お客様が住所を二回入力している。", "検証サーバーでも再現した。"},
	32: {"請求書の出力が遅い", "夜間の出力に一時間以上かかる。", "データベースのメモリを増やす。"},
	33: {"東京オフィスのプリンター", "紙が詰まる。", "業者に連絡した。"},
	34: {"京都への配送の見積もり", "一日ずれている。", ""},
	35: {"订单表单丢失地址", "客户需要输入两次地址。", "在测试服务器上重现。"},
	36: {"发票导出太慢", "夜间导出需要一个多小时。", "增加数据库内存。"},
	37: {"نموذج الطلب يفقد العنوان", "يدخل العملاء العنوان مرتين.", "تم التحقق من الخادم."},
	38: {"تصدير الفواتير بطيء", "يستغرق التصدير الليلي أكثر من ساعة.", ""},
	39: {"주문 양식에서 주소가 사라짐", "고객이 주소를 두 번 입력합니다.", "서버에서 확인했습니다."},
	40: {"Release notes", "Collect what changed for the order form, the export and the backup.", "Invoices are done."},
}

// judged are the tickets that a text should find: first those that it is for, then those that have to do with it.
var judged = map[string][2][]id.Ticket{
	"order form address": {{1}, {}}, "lost address": {{1}, {3}}, "invoice export": {{2}, {40}}, "invoices": {{2, 4, 40}, {}},
	"export": {{2, 26, 22}, {40}}, "nightly export": {{2}, {}}, "nightly": {{4, 2}, {}}, "rate limiter": {{3}, {}}, "partner feed": {{3}, {}},
	"backup": {{4}, {40}}, "backup sundays": {{4}, {}}, "disk full": {{4}, {}}, "staging": {{5, 1}, {}}, "staging server slow": {{5}, {}},
	"slow": {{5}, {2}}, "password": {{6, 7}, {}}, "wrong password": {{6}, {}}, "password reset": {{7}, {}}, "reset mail": {{7}, {}},
	"newsletter": {{8}, {7}}, "unsubscribe": {{8}, {}}, "price list": {{9}, {}}, "discount lisbon": {{9}, {}}, "delivery estimate": {{10}, {}},
	"daylight saving": {{10}, {}}, "time zones": {{10}, {}}, "stock": {{11}, {}}, "negative stock": {{11}, {}}, "refund": {{12}, {}},
	"javascript": {{12}, {}}, "webp": {{13}, {}}, "image upload": {{13}, {}}, "pictures": {{13}, {}}, "audit log": {{14}, {}}, "deleted labels": {{14}, {}},
	"tax norway": {{15}, {}}, "accountant": {{15}, {}}, "accents": {{16}, {}}, "cafe": {{16}, {}}, "dark theme": {{17}, {}}, "unreadable chart": {{17}, {}},
	"phone layout": {{18}, {}}, "screenshot": {{18}, {}}, "ssrf": {{19}, {}}, "redirect": {{19}, {}}, "httpclient": {{19}, {}}, "http client": {{19}, {}},
	"check redirect": {{19}, {}}, "deadlock": {{20}, {}}, "1213": {{20}, {}}, "moving tickets": {{20}, {}}, "userid": {{2}, {}}, "parse invoice": {{2}, {}},
	"bestellformular": {{21}, {}}, "straße": {{21}, {}}, "große bestellungen": {{21}, {}}, "rechnungsexport": {{22}, {}}, "größe": {{22}, {}},
	"übersetzung": {{23}, {}}, "handbücher": {{23}, {}}, "müller": {{23}, {}}, "kühlschrank": {{24}, {}}, "küche": {{24}, {}},
	"formulaire": {{25}, {}}, "adresse": {{25, 21}, {}}, "nîmes": {{25}, {}}, "factures": {{26}, {}}, "élise": {{26}, {}}, "numéro de série": {{27}, {}},
	"œuvres": {{27}, {}}, "форма заказа": {{28}, {}}, "адрес": {{28}, {}}, "ещё": {{28}, {}}, "выгрузка": {{29}, {}}, "память": {{29}, {}},
	"перевод": {{30}, {}}, "фёдор": {{30}, {}}, "注文フォーム": {{31}, {}}, "住所": {{31}, {}}, "サーバー": {{31}, {}}, "請求書": {{32}, {}}, "出力": {{32}, {}},
	"東京": {{33}, {}}, "プリンター": {{33}, {}}, "京都": {{34}, {}}, "見積": {{34}, {}}, "订单": {{35}, {}}, "地址": {{35}, {}}, "发票导出": {{36}, {}},
	"数据库": {{36}, {}}, "الطلب": {{37}, {}}, "العنوان": {{37}, {}}, "الفواتير": {{38}, {}}, "주소": {{39}, {}}, "서버": {{39}, {}}, "release notes": {{40}, {}},
}

// ofStory are titles of tickets of scripts/seed/story.md, as they begin: first those that a text is for, then those that have
// to do with it.
var ofStory = map[string][2][]string{
	"sorbitol": {{"Order 40 kg"}}, "price": {{"Order 40 kg"}}, "cash friday": {{"Order 40 kg"}}, "harbour": {{"Order 40 kg"}},
	"checklist": {{"Write the"}}, "cold mornings": {{"Write the"}}, "key": {{"Write the"}}, "who arms": {{"Write the"}},
	"parachute": {{"Parachute"}}, "damp": {{"Parachute"}}, "opens late": {{"Parachute"}}, "corn": {{"Paint"}, {"Parachute"}},
	"fins": {{"Paint"}}, "orange tin": {{"Paint"}}, "half a tin": {{"Paint"}}, "school": {{"Invite", "Return the"}}, "april launch": {{"Invite"}},
	"launch": {{"Invite", "Spare"}}, "radio": {{"Second"}}, "nozzle": {{"Static"}}, "throat": {{"Static"}}, "chuffing": {{"Static"}},
	"fire extinguishers": {{"Static"}}, "nozzle-14mm.csv": {{"Static"}}, "cold grain": {{"Static"}}, "static test": {{"Static"}},
	"wobble": {{"Guide"}}, "mach": {{"Guide"}}, "hinge": {{"Guide"}}, "guide vanes": {{"Guide"}}, "farmer": {{"Ask"}}, "north field": {{"Ask"}},
	"mown": {{"Ask"}}, "bottle": {{"Ask"}}, "igniters": {{"Move"}}, "dry store": {{"Move"}}, "telemetry": {{"Licence"}}, "433": {{"Licence"}},
	"battery": {{"Spare"}}, "weigh": {{"Weigh"}}, "vegetarian": {{"Who is"}}, "pot": {{"Borrow the"}}, "borrow": {{"Borrow the", "Borrow a"}},
	"hole": {{"Borrow the"}}, "soup": {{"Soup"}}, "night shift": {{"Soup"}}, "gas stove": {{"Return the"}}, "tent": {{"Borrow a"}},
	"nose cone": {{"Find the"}}, "well": {{"Find the"}},
}

// ofLarge are searched for among tickets of a large company: those that have all words in the title are what they are for,
// and those that have them at all have to do with it.
var ofLarge = []string{
	"order form", "invoice export", "nightly backup", "search index", "sign-in page", "price list", "delivery estimate", "weekly report",
	"stock counter", "refund flow", "onboarding mail", "phone layout", "image upload", "audit log", "rate limiter", "partner feed",
	"address check", "tax table", "staging server", "release notes", "order form lisbon", "invoice export customers", "backup sunday",
	"search index proxy", "price list norwegian", "estimate before sale", "report after upgrade", "refund cart empty", "speed up phone layout",
	"translate tax table", "automate nightly backup", "measure staging server", "large orders", "dark theme", "slow networks",
	"without javascript", "porto recording", "supplier side", "workaround handbook", "deadline month", "tax rules", "screenshots", "timeout",
	"lisbon", "norwegian", "proxy", "upgrade", "onboarding", "refund", "limiter",
}

// variants are what users type for a text: also in capitals, without its end, and with two letters in the wrong order.
func variants(text string) (list []string) {
	list = []string{text, strings.ToUpper(text)}
	letters := []rune(text)
	unspaced := unicode.In(letters[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	if unspaced || len(letters) < 7 {
		return list
	}
	list = append(list, string(letters[:len(letters)-1]))
	words := strings.Fields(text)
	longest := slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b)) })
	if w := []rune(longest); len(w) >= 7 {
		w[3], w[4] = w[4], w[3]
		list = append(list, strings.Replace(text, longest, string(w), 1))
	}
	return list
}

// judgement says how well a ticket answers a text: 3 if it is what the text is for, 1 if it has to do with it.
type judgement func(text string, d search.Document) float64

// byList judges by the tickets that are written down.
func byList(text string, d search.Document) float64 {
	return grade(slices.Contains(judged[text][0], d.Ticket), slices.Contains(judged[text][1], d.Ticket))
}

func byTitle(text string, d search.Document) float64 {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(title string) bool { return strings.HasPrefix(d.Title, title) })
	}
	return grade(has(ofStory[text][0]), has(ofStory[text][1]))
}

func byWords(list []search.Document) judgement {
	type terms map[string]bool
	of := func(text string) terms {
		all := terms{}
		for _, w := range search.Words(text) {
			all[w.Terms[0]] = true
		}
		return all
	}
	titles, texts := map[id.Ticket]terms{}, map[id.Ticket]terms{}
	for _, d := range list {
		titles[d.Ticket], texts[d.Ticket] = of(d.Title), of(d.Title+" "+strings.Join(d.Texts, " "))
	}
	return func(text string, d search.Document) float64 {
		has := func(words terms) bool {
			return !slices.ContainsFunc(search.Words(text), func(w search.Word) bool { return !words[w.Terms[0]] })
		}
		return grade(has(titles[d.Ticket]), has(texts[d.Ticket]))
	}
}

func grade(isFor, hasToDo bool) float64 {
	switch {
	case isFor:
		return 3
	case hasToDo:
		return 1
	}
	return 0
}

// TestRelevance holds the order of what is found against judgements, in three companies: one that works in six languages,
// that of the story, and a large one. The mean of nDCG@10 over all texts and their variants is not below a floor.
func TestRelevance(t *testing.T) {
	t.Parallel()
	many := large(5000)
	for name, c := range map[string]struct {
		tickets []search.Document
		texts   []string
		by      judgement
	}{
		"six languages": {sixLanguages(), slices.Collect(maps.Keys(judged)), byList},
		"the story":     {story(t), slices.Collect(maps.Keys(ofStory)), byTitle},
		"a large one":   {many, ofLarge, byWords(many)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mean, n := relevance(t, c.tickets, c.texts, c.by)
			t.Logf("%d texts: nDCG@10 %.3f", n, mean)
			if mean < 0.95 || n < 100 {
				t.Errorf("%d texts: nDCG@10 is %.3f", n, mean)
			}
		})
	}
}

func sixLanguages() (list []search.Document) {
	for i, texts := range judgedTickets {
		if i > 0 {
			list = append(list, search.Document{Ticket: id.Ticket(i), Board: 1, Title: texts[0], Texts: texts[1:]})
		}
	}
	return list
}

// story reads the tickets of the story: a heading of the third level is a title.
func story(t *testing.T) (list []search.Document) {
	t.Helper()
	text := domaintest.OK(os.ReadFile("../../scripts/seed/story.md"))(t)
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		rest, _, _ = strings.Cut(rest, "\n## ") // the next column
		list = append(list, search.Document{Ticket: id.Ticket(len(list) + 1), Board: 1, Title: title, Texts: []string{rest}})
	}
	return list
}

func large(n int) (list []search.Document) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		title, texts := seed.Text(r)
		list = append(list, search.Document{Ticket: id.Ticket(i + 1), Board: 1, Title: title, Texts: texts})
	}
	return list
}

// relevance returns the mean of nDCG@10 over variants of texts, and how many there are.
func relevance(t *testing.T, list []search.Document, texts []string, by judgement) (mean float64, n int) {
	t.Helper()
	x := domaintest.OK(search.Open(filepath.Join(t.TempDir(), "x")))(t)
	defer x.Close()
	for part := range slices.Chunk(list, 250) {
		domaintest.Must(t, x.Apply(search.Change{Put: part}))
	}
	for _, text := range texts {
		grades := map[id.Ticket]float64{}
		for _, d := range list {
			if grade := by(text, d); grade > 0 {
				grades[d.Ticket] = grade
			}
		}
		for _, typed := range variants(text) {
			found := domaintest.OK(x.Find(t.Context(), search.Find{Text: typed, All: true, Limit: 10}))(t)
			got := ndcg(found.Hits, grades)
			mean, n = mean+got, n+1
			if got < 0.5 {
				t.Logf("%.2f: %q finds %v, not %v", got, typed, found.Hits, grades)
			}
		}
	}
	return mean / float64(n), n
}

// ndcg is the normalized discounted cumulative gain of the first ten: 1 for the best order.
func ndcg(found []search.Hit, grades map[id.Ticket]float64) float64 {
	var got []float64
	for _, hit := range found {
		got = append(got, grades[hit.Ticket])
	}
	var best []float64
	for _, grade := range grades {
		best = append(best, grade)
	}
	slices.SortFunc(best, func(x, y float64) int { return cmp.Compare(y, x) })
	return gain(got) / gain(best)
}

func gain(grades []float64) (sum float64) {
	for i, grade := range grades[:min(len(grades), 10)] {
		sum += grade / math.Log2(float64(i+2))
	}
	return sum
}
