package prometheus

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os/exec"
	"testing"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// TestRules runs the unit tests of the alerts.
func TestRules(t *testing.T) {
	tool := need(t, promtool, "promtool")
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		command := exec.CommandContext(t.Context(), tool, args...)
		command.Dir = files
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestMetrics checks the metrics of real informers against the conventions of Prometheus.
func TestMetrics(t *testing.T) {
	tool := need(t, promtool, "promtool")
	registry := client.NewPedanticRegistry()
	registry.MustRegister(start(t).collector())
	response := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(response, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(response.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), tool, "check", "metrics")
	command.Stdin = bytes.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil || response.Code != 200 || len(text) == 0 {
		t.Errorf("promtool check metrics: %v, for a scrape of %d bytes with status %d\n%s", err, len(text), response.Code, out)
	}
}
