package page

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// form is how a tab shows the page.
type form struct {
	name          string
	width, height int64
	phone, dark   bool
	withoutScript bool
}

var (
	desktop = form{name: "light", width: 1280, height: 800}
	phone   = form{name: "phone", width: 375, height: 812, phone: true}
	dark    = form{name: "dark", width: 1280, height: 800, dark: true}
)

// tab is a tab of the browser. It fails the test if the console gets an error, or the policy of the
// page is violated.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex // guards the fields below
	faults []string
}

// stall bounds each step in the browser.
const stall = 2 * time.Minute

func open(t *testing.T, f form, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	tb := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tb.note); err != nil {
		t.Fatal(err)
	}
	scheme, pixels := "light", 1.0
	if f.dark {
		scheme = "dark"
	}
	if f.phone {
		pixels = 2
	}
	call(tb, log.Enable, cdp.Empty{})
	call(tb, runtime.Enable, cdp.Empty{})
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: f.width, Height: f.height, DeviceScaleFactor: pixels, Mobile: f.phone})
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: f.withoutScript})
	tb.do(chromedp.Navigate(url))
	t.Cleanup(func() {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for _, fault := range tb.faults {
			t.Errorf("the browser reports: %s", fault)
		}
	})
	return tb
}

// note keeps what the browser reports.
func (tb *tab) note(event any) {
	fault := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		fault = fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		fault = "console." + string(e.Type)
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Text
	}
	if fault != "" {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		tb.faults = append(tb.faults, fault)
	}
}

// forgive forgets what the browser has reported, and returns it.
func (tb *tab) forgive() []string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	faults := tb.faults
	tb.faults = nil
	return faults
}

// run runs an action and returns its result.
func run[V any](tb *tab, action chromedp.Action[V]) V {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, stall)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		tb.t.Fatal(err)
	}
	return value
}

func (tb *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	run(tb, chromedp.Steps(actions...))
}

// follow runs an action that opens another page, and waits for that page.
func (tb *tab) follow(action chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, stall)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, action); err != nil {
		tb.t.Fatal(err)
	}
}

// call calls a method of the browser.
func call[P, R any](tb *tab, method cdp.Command[P, R], parameters P) R {
	tb.t.Helper()
	return run(tb, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, method, parameters)
	})
}

// eval returns the value of an expression.
func eval[V any](tb *tab, expression string) V {
	tb.t.Helper()
	return run(tb, chromedp.Evaluate[V](expression))
}

// wait waits until an expression is true.
func (tb *tab) wait(expression string) {
	tb.t.Helper()
	run(tb, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(stall)))
}

// text returns the visible text of the page.
func (tb *tab) text() string {
	tb.t.Helper()
	return eval[string](tb, "document.body.innerText")
}

// want checks that the page shows texts.
func (tb *tab) want(texts ...string) {
	tb.t.Helper()
	shown := strings.Join(strings.Fields(tb.text()), " ")
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			tb.t.Errorf("the page does not show %q, but: %.3000s", text, shown)
		}
	}
}

// screenshot writes the whole page, at most 3,000 pixels of it.
func (tb *tab) screenshot(name string, f form) {
	tb.t.Helper()
	if *images == "" {
		return
	}
	height := min(eval[float64](tb, "document.documentElement.scrollHeight"), 3000)
	beyond := true
	image := call(tb, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: float64(f.width), Height: height, Scale: 1},
	}).Data
	if err := os.MkdirAll(*images, 0o755); err != nil {
		tb.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*images, name+".png"), image, 0o644); err != nil {
		tb.t.Fatal(err)
	}
}

//go:embed testdata/audit.js
var audit string

// named are the roles whose elements need a name.
var named = []string{
	"button", "link", "searchbox", "combobox", "image", "table", "navigation", "search", "DisclosureTriangle", "columnheader", "rowheader", "heading", "region",
}

// check checks what holds for each page: the contrast of its text, that it is not wider than its
// window, and that what a reader uses has a name.
func (tb *tab) check() {
	tb.t.Helper()
	for _, fault := range eval[[]string](tb, audit) {
		tb.t.Error(fault)
	}
	roles := map[string]int{}
	for _, node := range call(tb, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role, name := strings.Trim(string(node.Role.Value), `"`), ""
		if node.Name != nil {
			name = strings.Trim(string(node.Name.Value), `" `)
		}
		roles[role]++
		if slices.Contains(named, role) && name == "" {
			tb.t.Errorf("a %s has no accessible name", role)
		}
	}
	for _, role := range []string{"banner", "main", "contentinfo", "heading"} {
		if roles[role] == 0 {
			tb.t.Errorf("the page has no %s, but %v", role, roles)
		}
	}
}
