package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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

const objects = 1000

func runClient(t *testing.T, c report.Client) (result report.Report) {
	t.Helper()
	server, err := podserver.New(objects)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	defer web.Close()
	command := exec.CommandContext(t.Context(), os.Args[0], "client", "--server="+web.URL, fmt.Sprintf("--objects=%d", objects), fmt.Sprintf("--updates=%d", objects/2),
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
	results := make([]report.Report, len(report.Clients))
	t.Run("clients", func(t *testing.T) {
		for i, c := range report.Clients {
			t.Run(strings.Join([]string{c.Side, c.Mode, c.Scenario, c.Fields}, " "), func(t *testing.T) {
				t.Parallel() // most of the time they wait before they list again
				results[i] = runClient(t, c)
				for _, f := range results[i].Figures {
					if f.Unit != report.PeakMB && f.Value <= 0 || f.Unit == "s" && f.Value > 30 {
						t.Errorf("%+v", f)
					}
				}
			})
		}
	})
	rows, contents := map[string]map[string]bool{report.Ours: {}, report.Theirs: {}}, map[string]string{}
	for i, c := range report.Clients {
		for _, f := range results[i].Figures {
			rows[c.Side][f.Row] = true
		}
		for name, digest := range results[i].Contents {
			if contents[name] != "" && contents[name] != digest {
				t.Errorf("%+v: %s is %s, and was %s", c, name, digest, contents[name])
			}
			contents[name] = digest
		}
	}
	if len(contents) != 8 {
		t.Errorf("the contents are %v", contents)
	}
	for i, c := range report.Clients {
		for _, f := range results[i].Figures {
			if c.Side == report.Ours && (f.Peer == "" && !rows[report.Theirs][f.Row] || f.Peer != "" && !rows[report.Theirs][f.Peer]) {
				t.Errorf("%+v has no peer", f)
			}
		}
	}
	if len(rows[report.Ours]) != 28 {
		t.Errorf("there are %d rows of ours", len(rows[report.Ours]))
	}
}

// TestCheckRequests takes no client that has sent other lists than it should.
func TestCheckRequests(t *testing.T) {
	server, err := podserver.New(objects)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	defer web.Close()
	response, err := http.Get(web.URL + "/api/v1/pods")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for _, test := range []struct {
		mode  string
		lists int
		want  bool
	}{{report.List, 1, true}, {report.List, 3, false}, {report.Streaming, 1, false}} {
		c := client{Client: report.Client{Mode: test.mode}, server: web.URL}
		if err := c.checkRequests(t.Context(), test.lists); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
