package informermetrics

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// readDocs returns the rows of the tables of docs/observability.md and of its reference, which has the metrics, and the
// anchors of the headings of docs/observability.md.
func readDocs(t *testing.T) (rows [][]string, anchors map[string]bool) {
	t.Helper()
	content, err := os.ReadFile("../../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	reference, err := os.ReadFile("../../docs/observability-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	anchors = map[string]bool{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if heading := strings.TrimLeft(line, "#"); heading != line {
			text := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			anchors[strings.ReplaceAll(text, " ", "-")] = true
		}
	}
	for line := range strings.Lines(string(content) + string(reference)) {
		line = strings.TrimSpace(line)
		if cells, isRow := strings.CutPrefix(line, "|"); isRow {
			row := strings.Split(strings.TrimSuffix(cells, "|"), "|")
			for i, cell := range row {
				row[i] = strings.Trim(strings.TrimSpace(cell), "`")
			}
			rows = append(rows, row)
		}
	}
	return rows, anchors
}

// TestDocumentedMetrics compares the table of metrics with the Collector: name, labels, meaning, and whether client-go has
// it. The page derives the type from the name.
func TestDocumentedMetrics(t *testing.T) {
	rows, _ := readDocs(t)
	fromClientGo := []string{"informer_queued_items", "informer_processing_latency_seconds", "informer_store_resource_version"}
	documented := map[string]bool{}
	for _, row := range rows {
		if !strings.HasPrefix(row[0], "informer_") {
			continue
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(row[0], "}"), "{")
		documented[name] = true
		i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
		if i < 0 || len(row) != 2 {
			t.Errorf("%s is no metric, or its row has %d columns, not 2", name, len(row))
			continue
		}
		m := metrics[i]
		if want := strings.Join(m.labels, ","); labels != want {
			t.Errorf("%s is documented with the labels %q, want %q", name, labels, want)
		}
		if same := strings.HasSuffix(row[1], ". As in client-go"); same != slices.Contains(fromClientGo, name) || row[1] == "" {
			t.Errorf("%s has the meaning %q, which is empty or wrong about client-go", name, row[1])
		}
	}
	for _, m := range metrics {
		if !documented[m.name] {
			t.Errorf("docs/observability-reference.md has no row for %s", m.name)
		}
		kind := dto.MetricType_GAUGE
		switch {
		case strings.HasSuffix(m.name, "_total"):
			kind = dto.MetricType_COUNTER
		case strings.HasSuffix(m.name, "_latency_seconds"):
			kind = dto.MetricType_HISTOGRAM
		}
		if m.kind != kind {
			t.Errorf("%s is a %v; docs/observability-reference.md says that such a name is a %v", m.name, m.kind, kind)
		}
	}
}

// reasons are all values of the labels reason and cause.
var reasons = []status.Reason{
	status.Forbidden, status.Unauthorized, status.NotFound, status.Expired, status.TooManyRequests, status.ServerError, status.Refused,
	status.Redirected, status.Decode, status.ClosedEarly, status.NoBookmark, status.HandlerPanic, status.Misconfigured, status.Unreachable,
}

// TestDocumentedAlerts checks that each alert is in the table of alerts with its severity, and that
// its runbook is a heading.
func TestDocumentedAlerts(t *testing.T) {
	rows, anchors := readDocs(t)
	severities := map[string]string{}
	for _, row := range rows {
		if strings.HasPrefix(row[0], "Informer") {
			severities[row[0]] = row[1]
		}
	}
	for _, r := range readRules(t) {
		if severities[r.Alert] != r.Labels["severity"] {
			t.Errorf("%s is documented with the severity %q, want %q", r.Alert, severities[r.Alert], r.Labels["severity"])
		}
		delete(severities, r.Alert)
		anchor := strings.TrimPrefix(r.Annotations["runbook_url"], runbook)
		if anchor == "{{ $labels.reason | toLower }}" {
			for _, reason := range reasons {
				if !anchors[strings.ToLower(string(reason))] {
					t.Errorf("docs/observability.md has no heading for the reason %s", reason)
				}
			}
		} else if !anchors[anchor] {
			t.Errorf("docs/observability.md has no heading %q, which is the runbook of %s", anchor, r.Alert)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(severities)) {
		t.Errorf("docs/observability.md has %s, which alerts.yaml has not", name)
	}
}
