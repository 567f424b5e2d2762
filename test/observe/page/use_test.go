package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// shown is the number of informers that are visible.
const shown = `[...document.querySelectorAll(".informer")].filter((i) => i.checkVisibility()).length`

// changing returns the forbidden operator, whose databases get more objects with each look.
func changing(t *testing.T) (source status.Source, looks *atomic.Int64) {
	looks = new(atomic.Int64)
	return edited{forbidden(t), func(s *status.Informer) {
		switch s.Resource.Resource {
		case "databases":
			s.Status.Objects = 1000 + int(looks.Add(1))
			s.Stats.Updated = uint64(looks.Load() * 7)
		case "databaseservers":
			if looks.Load() > 3 { // it becomes the first one, above what the reader looks at
				s.Status.Phase, s.Status.Reason, s.Status.Err = status.Degraded, status.Unreachable, errors.New("watch: connection refused")
			}
		}
	}}, looks
}

// TestRefresh reads the page while it refreshes itself, and rows are added and moved. What the reader
// has opened, focused, selected and written stays.
func TestRefresh(t *testing.T) {
	source, _ := changing(t)
	tab := open(t, desktop, serve(t, source))
	const databases = `document.querySelector("summary .name").textContent.startsWith("databases.")`
	if !eval[bool](tab, databases) {
		t.Fatal("databases are not first")
	}
	tab.do(
		chromedp.Click(chromedp.CSS(".row summary")),
		chromedp.Click(chromedp.CSS(".manifest summary")),
	)
	eval[bool](tab, `window.kept = document.querySelector(".informer"), window.scrollTo(0, 120), document.querySelector(".manifest summary").focus(), true`)
	first := eval[string](tab, `kept.querySelector("[data-label=Objects]").textContent`)
	for range 2 { // the second one has another order
		tab.wait(`window.kept.querySelector("[data-label=Objects]").textContent !== "` + first + `"`)
		first = eval[string](tab, `kept.querySelector("[data-label=Objects]").textContent`)
	}
	tab.wait(`document.querySelectorAll(".informer.is-failing").length === 2`)
	for what, expression := range map[string]string{
		"the row is another one":       `kept.isConnected`,
		"its details are closed":       `kept.querySelector(".row details").open && kept.querySelector(".more").checkVisibility()`,
		"its details are empty":        `kept.querySelector(".more").innerText.includes("Resource version")`,
		"the manifest is closed":       `kept.querySelector(".manifest").open`,
		"the focus is lost":            `document.activeElement === kept.querySelector(".manifest summary")`,
		"the page has scrolled to top": `scrollY > 0`,
		"there is no line":             `kept.querySelector(".spark") !== null`,
		"the title is old":             `document.title.startsWith("2 failing")`,
	} {
		if !eval[bool](tab, expression) {
			t.Error(what)
		}
	}
	// While text is selected, the page stays.
	eval[bool](tab, `getSelection().selectAllChildren(kept.querySelector(".error")), true`)
	if text := eval[string](tab, `getSelection().toString()`); !strings.Contains(text, "forbidden") {
		t.Errorf("the selection is %q", text)
	}
	tab.check()
}

// TestPause stops the refresh, and starts it again.
func TestPause(t *testing.T) {
	source, looks := changing(t)
	tab := open(t, desktop, serve(t, source))
	tab.do(chromedp.Click(chromedp.CSS("#pause")))
	tab.wait(`document.querySelector("#pause").getAttribute("aria-pressed") === "true"`)
	paused := looks.Load()
	tab.do(chromedp.Click(chromedp.CSS("#pause")))
	tab.wait(`document.querySelector("[data-label=Objects]").textContent !== "1,00` + string(rune('0'+paused)) + `"`)
}

// TestFilter filters by name and by state, and sorts, with the script.
func TestFilter(t *testing.T) {
	url := serve(t, many(t))
	tab := open(t, desktop, url)
	want := func(step string, n int) {
		t.Helper()
		tab.wait(fmt.Sprintf("%s === %d /* %s */", shown, n, step))
	}
	want("at first", 200)
	tab.do(chromedp.SendKeys(chromedp.CSS("#q"), "ServiceMon"))
	want("by name", 33)
	if address := eval[string](tab, "location.search"); address != "?q=ServiceMon" {
		t.Errorf("the address has %s", address)
	}
	tab.do(chromedp.Click(chromedp.CSS(`.chip[data-state="failing"]`)))
	want("by name and state", 2)
	tab.do(chromedp.SendKeys(chromedp.CSS("#q"), "xyz"))
	want("by nothing", 0)
	tab.want("No informer matches the filter.")
	tab.do(chromedp.Click(chromedp.CSS("#all")))
	want("after all", 200)
	tab.do(chromedp.Click(chromedp.CSS(`th a[data-sort="objects"]`)))
	tab.wait(`document.querySelector(".informer [data-label=Objects]").textContent === "118,803"`)
	if sorted := eval[string](tab, `document.querySelector("th[aria-sort]").innerText`); sorted != "Objects" {
		t.Errorf("sorted by %s", sorted)
	}
	// A filter in the address works at once, and what it leaves out comes back.
	tab = open(t, desktop, url+"?q=ServiceMon&state=failing")
	want("by the address", 2)
	tab.do(chromedp.Click(chromedp.CSS(`.chip[data-state=""]`)))
	want("by the name of the address", 33)
}

// TestWithoutScript filters, opens and refreshes without script.
func TestWithoutScript(t *testing.T) {
	url := serve(t, many(t))
	plain := form{name: "plain", width: 1280, height: 800, withoutScript: true}
	tab := open(t, plain, url+"?q=servicemon")
	if got := eval[int](tab, shown); got != 33 {
		t.Errorf("%d informers are shown", got)
	}
	tab.want("Refresh", "Refresh every 10 s", "Apply")
	if eval[bool](tab, `document.querySelector("#pause").checkVisibility()`) {
		t.Error("a button is shown that does nothing")
	}
	tab.do(chromedp.Click(chromedp.CSS(".row summary")))
	tab.want("Resource version")
	tab.check()
	tab.follow(chromedp.Click(chromedp.CSS(`.chip[data-state="failing"]`)))
	if address := eval[string](tab, "location.search"); address != "?q=servicemon&state=failing" {
		t.Errorf("the chip leads to %s", address)
	}
	if got := eval[int](tab, shown); got != 2 {
		t.Errorf("%d informers are shown", got)
	}
	tab.follow(chromedp.Click(chromedp.CSS(`.tools button[type=submit]`)))
	if got := eval[int](tab, shown); got != 2 {
		t.Errorf("%d informers are shown after the form was sent", got)
	}
}

// TestKeyboard reaches everything by the key Tab, and opens details by Enter.
func TestKeyboard(t *testing.T) {
	tab := open(t, desktop, serve(t, forbidden(t)))
	reached := map[string]bool{}
	for range 40 {
		tab.do(chromedp.KeyEvent("\t"))
		reached[eval[string](tab, `(() => {
			const e = document.activeElement;
			const style = getComputedStyle(e);
			if (e !== document.body && (style.outlineStyle === "none" || style.outlineWidth === "0px")) return "no outline: " + e.outerHTML;
			return e.id || e.className || e.closest(".row, .manifest, .advice, .columns, footer, body").className || e.nodeName;
		})()`)] = true
	}
	for what := range reached {
		if strings.HasPrefix(what, "no outline") {
			t.Error(what)
		}
	}
	for _, want := range []string{"pause", "q", "chip", "row", "manifest", "button copy", "columns"} {
		found := false
		for what := range reached {
			found = found || strings.HasPrefix(what, want)
		}
		if !found {
			t.Errorf("%s is not reached, but %v", want, reached)
		}
	}
	eval[bool](tab, `document.querySelector(".row summary").focus(), true`)
	tab.do(chromedp.KeyEvent("\r"))
	tab.want("Resource version")
}

// TestAddresses mounts the page in several ways. Its style and its script work in each.
func TestAddresses(t *testing.T) {
	page := debugpage.New(healthy(t))
	mux := http.NewServeMux()
	mux.Handle("/debug/informers", page)
	mux.Handle("/a/informers/", page)
	mux.Handle("/proxy/", http.StripPrefix("/proxy", page))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, path := range []string{"/debug/informers", "/a/informers/", "/a/informers/?q=data", "/proxy/x/y"} {
		tab := open(t, desktop, server.URL+path)
		if !eval[bool](tab, `getComputedStyle(document.querySelector("main > table")).tableLayout === "fixed" && !document.querySelector("#pause").hidden`) {
			t.Errorf("%s: the style or the script is missing", path)
		}
	}
}

// TestHostile shows names that try to run a script.
func TestHostile(t *testing.T) {
	const attack = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`
	s := many(t).(fixed)[3]
	s.Resource.Resource, s.Kind, s.Name, s.Status.ResourceVersion, s.Status.Err = attack, attack, attack, attack, errors.New(strings.Repeat(attack, 10))
	s.Namespaces, s.Stats.Handlers[0].Name, s.Server = []string{attack, strings.Repeat("x", 64<<10)}, attack, "javascript:window.hacked=1"
	for _, f := range []form{desktop, phone} {
		tab := open(t, f, serve(t, fixed{s}, debugpage.WithTitle(attack), debugpage.WithRunbook("javascript:window.hacked=1")))
		tab.do(chromedp.Click(chromedp.CSS(".row summary")))
		tab.wait(`document.querySelector(".more").innerText.includes("Resource version")`)
		if eval[bool](tab, `"hacked" in window || document.images.length > 0`) {
			t.Error("the page has run a name")
		}
		tab.want(`<img src=x onerror="window.hacked=1">`)
		tab.check()
	}
}

// TestServerGone shows that the page is old when its server does not answer.
func TestServerGone(t *testing.T) {
	server := httptest.NewServer(debugpage.New(healthy(t)))
	tab := open(t, desktop, server.URL)
	tab.do(chromedp.Click(chromedp.CSS("#pause")))
	server.CloseClientConnections()
	server.Close()
	tab.do(chromedp.Click(chromedp.CSS("#pause")))
	tab.wait(`document.querySelector("#trouble").textContent.includes("cannot be refreshed: no connection; check that the program runs, and the port-forward")`)
	tab.check()
	tab.screenshot("gone-light", desktop)
	for _, fault := range tab.forgive() {
		if !strings.Contains(fault, "ERR_CONNECTION_REFUSED") {
			t.Error(fault)
		}
	}
}
