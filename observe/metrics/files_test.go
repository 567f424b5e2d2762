package informermetrics

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"go.yaml.in/yaml/v2"
)

// rule is an alert of alerts.yaml.
type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readRules(t *testing.T) []rule {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []rule }
	}
	readYAML(t, "alerts.yaml", &file)
	var rules []rule
	for _, group := range file.Groups {
		rules = append(rules, group.Rules...)
	}
	if len(rules) < 10 {
		t.Fatalf("alerts.yaml has %d rules", len(rules))
	}
	return rules
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}

const runbook = "https://github.com/typedinformers/informer-gen/blob/main/docs/observability.md#"

// TestAlerts checks what promtool does not: that all alerts have what a person on call needs, and
// that they use metrics and labels of the Collector.
func TestAlerts(t *testing.T) {
	for _, r := range readRules(t) {
		if r.For == "" || r.Labels["severity"] != "warning" && r.Labels["severity"] != "critical" {
			t.Errorf("%s has the duration %q and the severity %q", r.Alert, r.For, r.Labels["severity"])
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !strings.HasPrefix(r.Annotations["runbook_url"], runbook) {
			t.Errorf("%s has the annotations %q", r.Alert, r.Annotations)
		}
		wantMetrics(t, r.Alert, r.Expr)
	}
}

// TestAlertsAreTested checks that alerts_test.yaml has, for each alert, a moment at which it fires
// and one at which it does not.
func TestAlertsAreTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Name          string
			AlertRuleTest []struct {
				Alertname string
				ExpAlerts []any `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	readYAML(t, "alerts_test.yaml", &file)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, at := range test.AlertRuleTest {
			if len(at.ExpAlerts) > 0 {
				fires[at.Alertname] = true
			} else {
				silent[at.Alertname] = true
			}
		}
	}
	for _, r := range readRules(t) {
		if !fires[r.Alert] || !silent[r.Alert] {
			t.Errorf("%s: fires in a test %v, is silent in a test %v", r.Alert, fires[r.Alert], silent[r.Alert])
		}
	}
}

// panel is a panel of dashboard.json.
type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               datasource
	Targets                  []struct {
		Expr, RefID  string
		LegendFormat *string
		Datasource   datasource
	}
}

type datasource struct{ Type, UID string }

// TestDashboard checks that the dashboard has all metrics, and that Grafana can show it: each panel
// has its own place and reads from the variable of the data source.
func TestDashboard(t *testing.T) {
	content, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		UID, Title    string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type string }
		}
		Panels []panel
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	if dashboard.UID == "" || dashboard.Title == "" || dashboard.SchemaVersion < 36 {
		t.Errorf("the dashboard has the uid %q, the title %q and the schema %d", dashboard.UID, dashboard.Title, dashboard.SchemaVersion)
	}
	variables := map[string]bool{"__rate_interval": true}
	for _, v := range dashboard.Templating.List {
		variables[v.Name] = true
	}
	ids, shown := map[int]bool{}, map[string]bool{}
	occupied := map[[2]int]string{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %q has the id %d, which is 0 or that of another one", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if there := occupied[[2]int{x, y}]; there != "" || x >= 24 {
					t.Fatalf("panel %q overlaps %q, or the right border", p.Title, there)
				}
				occupied[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q has the description %q and %d expressions", p.Title, p.Description, len(p.Targets))
		}
		for _, target := range p.Targets {
			want := datasource{"prometheus", "${datasource}"}
			if p.Datasource != want || target.Datasource != want || target.RefID == "" || target.LegendFormat == nil {
				t.Errorf("panel %q: incomplete target %+v", p.Title, target)
			}
			for _, v := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(target.Expr, -1) {
				if !variables[v[1]] {
					t.Errorf("panel %q uses $%s, which is no variable", p.Title, v[1])
				}
			}
			for _, name := range wantMetrics(t, p.Title, target.Expr) {
				shown[name] = true
			}
		}
	}
	for _, m := range metrics {
		if !shown[m.name] {
			t.Errorf("no panel shows %s", m.name)
		}
	}
}

var (
	metricName = regexp.MustCompile(`\binformer_\w+\b`)
	matcher    = regexp.MustCompile(`[{,]\s*(\w+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`\b(?:by|without|on|ignoring)\s*\(([^)]*)\)`)
)

// wantMetrics reports metrics and labels in an expression that the Collector does not have. It
// returns the metrics. A test with Prometheus evaluates the expressions.
func wantMetrics(t *testing.T, where, expr string) (names []string) {
	t.Helper()
	labels := append(labelNames(false), "job", "instance", "le")
	for _, series := range metricName.FindAllString(expr, -1) {
		i := slices.IndexFunc(metrics, func(m metric) bool {
			return m.name == series || m.kind == dto.MetricType_HISTOGRAM && m.name == strings.TrimSuffix(series, "_bucket")
		})
		if i < 0 {
			t.Errorf("%s uses %s, which is no metric", where, series)
			continue
		}
		names, labels = append(names, metrics[i].name), append(labels, metrics[i].labels...)
	}
	if len(names) == 0 {
		t.Errorf("%s has no metric: %s", where, expr)
	}
	used := []string{}
	for _, m := range matcher.FindAllStringSubmatch(expr, -1) {
		used = append(used, m[1])
	}
	for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(m[1], ",") {
			used = append(used, strings.TrimSpace(label))
		}
	}
	for _, label := range used {
		if !slices.Contains(labels, label) {
			t.Errorf("%s uses the label %s, which none of %q has", where, label, names)
		}
	}
	return names
}
