package prometheus

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/typedinformers/informer-gen/test/progress"
)

// TestPrometheus lets Prometheus scrape a program, and waits until the alerts fire that should.
// Others must not fire. Then it evaluates all expressions of the dashboard.
func TestPrometheus(t *testing.T) {
	file := need(t, server, "prometheus")
	registry := client.NewPedanticRegistry()
	registry.MustRegister(start(t).collector())
	program := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	t.Cleanup(program.Close)
	p := run(t, file, strings.TrimPrefix(program.URL, "http://"), soon(t))
	ctx := progress.Context(t)
	awaitAlerts(ctx, t, p)
	wantScrapes(ctx, t, p)
	wantDashboard(ctx, t, p)
}

// soon returns the rules of the alerts with times and limits of a few seconds. The kind of a limit
// stays: what the alerts compare, and how.
func soon(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(files + "alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules := string(content)
	for _, change := range []struct{ old, new string }{
		{`for: \d+m`, "for: 0s"},
		{`\[\d+m\]`, "[20s]"},
		{`offset \d+m`, "offset 20s"},
		{`_seconds > 300`, "_seconds > 3"},
		{`> 1000`, "> 10"},
		{`> 20\n`, "> 3\n"},
		{`> 6\n`, "> 2\n"},
	} {
		shorter := regexp.MustCompile(change.old).ReplaceAllString(rules, change.new)
		if shorter == rules {
			t.Fatalf("no alert has %s any more; change this test", change.old)
		}
		rules = shorter
	}
	return rules
}

// awaitAlerts waits until all alerts of all scenarios fire at one time, and no other alert. A pause
// of the machine may let another one fire for a moment.
func awaitAlerts(ctx context.Context, t *testing.T, p *prometheus) {
	t.Helper()
	want, may := map[string]bool{}, map[string]bool{}
	for _, s := range scenarios {
		for _, alert := range s.alerts {
			want[s.name+" "+alert] = true
		}
		for _, alert := range s.others {
			may[s.name+" "+alert] = true
		}
	}
	seen := map[string]bool{}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		firing, err := p.firing(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var wrong []string
		for alert := range want {
			if !firing[alert] {
				wrong = append(wrong, alert+" does not fire")
			}
		}
		for alert := range firing {
			if !want[alert] && !may[alert] {
				wrong = append(wrong, alert+" fires")
			}
			if !seen[alert] {
				seen[alert] = true
				progress.Step()
			}
		}
		if len(wrong) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			slices.Sort(wrong)
			t.Fatalf("%v: %q", context.Cause(ctx), wrong)
		}
	}
}

// wantScrapes checks that no scrape has failed.
func wantScrapes(ctx context.Context, t *testing.T, p *prometheus) {
	t.Helper()
	for expr, want := range map[string]string{
		"min_over_time(up[1h])":                                   "1",
		"promhttp_metric_handler_errors_total{cause='gathering'}": "0",
	} {
		result, err := p.query(ctx, expr)
		if err != nil {
			t.Fatal(err)
		}
		if len(result) != 1 || result[0].Value[1] != want {
			t.Errorf("%s is %v, want %s", expr, result, want)
		}
	}
	progress.Step()
}

// wantDashboard checks that each expression of the dashboard has a value.
func wantDashboard(ctx context.Context, t *testing.T, p *prometheus) {
	t.Helper()
	content, err := os.ReadFile(files + "dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	expressions := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions++
			expr := strings.NewReplacer("$__rate_interval", "20s", "$job", "program", "$instance", ".*", "$name", ".*", "$group", "data[.]example[.]com", "$resource", "databases|pods").Replace(target.Expr)
			if result, err := p.query(ctx, expr); err != nil {
				t.Errorf("panel %q: %v: %s", panel.Title, err, expr)
			} else if len(result) == 0 {
				t.Errorf("panel %q shows nothing: %s", panel.Title, expr)
			}
			progress.Step()
		}
	}
	if expressions < 20 {
		t.Errorf("the dashboard has %d expressions", expressions)
	}
}
