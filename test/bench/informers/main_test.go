package main

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// TestMain lets the test binary be the command: client-go's informers have one mode in a
// whole process.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_INFORMERS") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const objects = 300

// startServer returns the address of a server, and the file of its certificate.
func startServer(t *testing.T, setting report.Setting, objects int) (address, certificate string) {
	t.Helper()
	server, err := podserver.New(podserver.Options{Kind: podserver.Kinds[setting.Kind], Objects: objects, Gzip: setting.Gzip})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(server)
	t.Cleanup(web.Close)
	if !setting.TLS {
		web.Start()
		return web.URL, ""
	}
	certificate = filepath.Join(t.TempDir(), "certificate.pem")
	own, err := newCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	web.TLS, web.EnableHTTP2, web.Config.HTTP2 = &tls.Config{Certificates: []tls.Certificate{own}}, true, limits
	web.StartTLS()
	return web.URL, certificate
}

func runClient(t *testing.T, setting report.Setting, c report.Client) (result report.Report) {
	t.Helper()
	objects := cmp.Or(setting.Objects, objects)
	address, certificate := startServer(t, setting, objects)
	command := exec.CommandContext(t.Context(), os.Args[0], "client", "--server="+address, fmt.Sprintf("--objects=%d", objects), fmt.Sprintf("--updates=%d", objects/2),
		"--kind="+setting.Kind, "--certificate="+certificate, fmt.Sprintf("--json=%t", setting.JSON), fmt.Sprintf("--gzip=%t", setting.Gzip), fmt.Sprintf("--brief=%t", setting.Brief), "--prefix="+setting.Prefix,
		"--side="+c.Side, "--mode="+c.Mode, "--scenario="+c.Scenario, "--fields="+c.Fields, "--timeout=10m")
	command.Env = append(os.Environ(), "BENCH_INFORMERS=1")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(output, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestClients lets both sides follow the same collection in all scenarios. They end in
// the same state, and each row of ours has its peer.
func TestClients(t *testing.T) {
	for section, want := range map[string]int{"default": 26, "custom": 28, "conditions": 19, "idle": 3, "runtime": 28} {
		t.Run(section, func(t *testing.T) {
			rows := 0
			for _, setting := range report.Sections[section] {
				if setting.Processors > 0 {
					continue // its clients are those of another one
				}
				results := make([]report.Report, len(setting.Clients))
				t.Run(strings.Trim("with "+setting.Prefix, " ,"), func(t *testing.T) {
					for i, c := range setting.Clients {
						t.Run(strings.Join([]string{c.Side, c.Mode, c.Scenario, c.Fields}, " "), func(t *testing.T) {
							t.Parallel() // most of the time they wait before they list again
							results[i] = runClient(t, setting, c)
							for _, f := range results[i].Figures {
								if f.Unit != report.PeakMB && f.Value <= 0 || f.Unit == "s" && f.Value > 30 {
									t.Errorf("%+v", f)
								}
							}
						})
					}
				})
				rows += checkResults(t, setting, results)
			}
			if rows != want {
				t.Errorf("there are %d rows of ours", rows)
			}
		})
	}
}

// checkResults returns how many rows ours has, of which each has to have a peer.
func checkResults(t *testing.T, setting report.Setting, results []report.Report) int {
	t.Helper()
	rows, contents := map[string]map[string]bool{report.Ours: {}, report.Theirs: {}}, map[string]string{}
	for i, c := range setting.Clients {
		for _, f := range results[i].Figures {
			rows[c.Side][f.Row] = true
			if !strings.HasPrefix(f.Row, setting.Prefix) {
				t.Errorf("%q does not begin with %q", f.Row, setting.Prefix)
			}
		}
		for name, digest := range results[i].Contents {
			if contents[name] != "" && contents[name] != digest {
				t.Errorf("%+v: %s is %s, and was %s", c, name, digest, contents[name])
			}
			contents[name] = digest
		}
	}
	if len(contents) == 0 {
		t.Error("nothing was read")
	}
	for i, c := range setting.Clients {
		for _, f := range results[i].Figures {
			if c.Side == report.Ours && !rows[report.Theirs][cmp.Or(f.Peer, f.Row)] {
				t.Errorf("%+v has no peer", f)
			}
		}
	}
	return len(rows[report.Ours])
}

// TestCheckRequests takes no client that has sent other lists than it should.
func TestCheckRequests(t *testing.T) {
	for _, test := range []struct {
		setting      report.Setting
		mode, accept string
		lists        int
		want         bool
	}{
		{report.Setting{JSON: true}, report.List, "application/json", 1, true},
		{report.Setting{JSON: true}, report.List, "application/json", 3, false},
		{report.Setting{JSON: true}, report.Streaming, "application/json", 1, false},
		{report.Setting{}, report.List, "application/vnd.kubernetes.protobuf", 1, true},
		{report.Setting{}, report.List, "application/json", 1, false},
		{report.Setting{JSON: true}, report.List, "application/vnd.kubernetes.protobuf", 1, false},
		{report.Setting{JSON: true, Gzip: true}, report.List, "application/json", 1, false},
	} {
		test.setting.Kind = report.Pods
		c := client{Client: report.Client{Side: report.Theirs, Mode: test.mode}, Setting: test.setting}
		c.server, _ = startServer(t, report.Setting{Kind: report.Pods}, objects)
		var err error
		if c.connection, err = c.connect(); err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.server+"/api/v1/pods", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", test.accept)
		response, err := c.control.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if err := c.checkRequests(t.Context(), test.lists); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
