package prometheus

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// prometheus is a running Prometheus.
type prometheus struct{ url string }

// run starts Prometheus with a target and a file of rules, until the test ends.
func run(t *testing.T, file, target, rules string) *prometheus {
	t.Helper()
	folder := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("rules.yaml", rules)
	config := write("prometheus.yaml", fmt.Sprintf(`
global: {scrape_interval: 200ms, evaluation_interval: 200ms}
rule_files: [rules.yaml]
scrape_configs:
- job_name: program
  static_configs: [{targets: [%q]}]
`, target))
	ctx, cancel := context.WithCancel(t.Context())
	command := exec.CommandContext(ctx, file, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address=127.0.0.1:0")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	address, ready, ended, said := "", make(chan struct{}), make(chan struct{}), strings.Builder{}
	go func() {
		defer close(ended)
		listening := regexp.MustCompile(`msg="Listening on".* address=(\S+)`)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fmt.Fprintln(&said, lines.Text())
			if found := listening.FindStringSubmatch(lines.Text()); found != nil {
				address = found[1]
			}
			if strings.Contains(lines.Text(), "Server is ready to receive web requests") {
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		_ = command.Wait() // it was interrupted
		if t.Failed() {
			t.Logf("Prometheus says:\n%s", said.String())
		}
	})
	select {
	case <-ready:
		return &prometheus{"http://" + address}
	case <-ended:
		t.Fatal("Prometheus has ended")
		return nil
	}
}

// get decodes the data of a response of the API.
func (p *prometheus) get(ctx context.Context, path string, query url.Values, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Warnings      []string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", path, response.Status, err)
	}
	if answer.Status != "success" || len(answer.Warnings) > 0 {
		return fmt.Errorf("%s: %s %s %q", path, answer.Status, answer.Error, answer.Warnings)
	}
	return json.Unmarshal(answer.Data, into)
}

// sample is a value of a series.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

// query evaluates an expression.
func (p *prometheus) query(ctx context.Context, expr string) ([]sample, error) {
	var data struct{ Result []sample }
	err := p.get(ctx, "/api/v1/query", url.Values{"query": {expr}}, &data)
	return data.Result, err
}

// firing returns the alerts that fire for each informer, by its name, as "name alert".
func (p *prometheus) firing(ctx context.Context) (map[string]bool, error) {
	var data struct {
		Alerts []struct {
			State       string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
	if err := p.get(ctx, "/api/v1/alerts", nil, &data); err != nil {
		return nil, err
	}
	firing := map[string]bool{}
	for _, alert := range data.Alerts {
		for name, text := range alert.Annotations {
			if strings.Contains(text, "<error") || strings.Contains(text, "<no value>") {
				return nil, fmt.Errorf("%s of %s is %q", name, alert.Labels["alertname"], text)
			}
		}
		if alert.State == "firing" {
			firing[alert.Labels["name"]+" "+alert.Labels["alertname"]] = true
		}
	}
	return firing, nil
}
