package main

import (
	"encoding/json"
	"fmt"
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

func TestCheck(t *testing.T) {
	ours := client{report.Client{Side: report.Ours, Mode: report.Streaming, Scenario: report.Changes, Fields: report.AllFields}, 1000, 999, "", ""}
	theirs := ours
	theirs.Side = report.Theirs
	for _, test := range []struct {
		name   string
		client client
		phase  string // that has received got
		got    counts
		sent   podserver.Requests
		want   string
	}{
		{"all well", ours, syncing, counts{adds: 1000}, podserver.Requests{Streams: 3}, ""},
		{"misses an add", ours, syncing, counts{adds: 999}, podserver.Requests{Streams: 3}, "sync: "},
		{"receives an update twice", ours, updating, counts{updates: 1001}, podserver.Requests{Streams: 3}, "updates: "},
		{"receives a delete", ours, changed, counts{updates: 11, deletes: 1}, podserver.Requests{Streams: 3}, "relist changed: "},
		{"misses what client-go reports", theirs, unchanged, counts{updates: 1}, podserver.Requests{Streams: 3}, "relist unchanged: "},
		{"lists instead", ours, syncing, counts{adds: 1000}, podserver.Requests{Lists: 1, Streams: 2}, "0 lists and 3 streams"},
		{"relists in a loop", ours, syncing, counts{adds: 1000}, podserver.Requests{Streams: 4}, "0 lists and 3 streams"},
	} {
		done := map[string]counts{syncing: {adds: 1000}, unchanged: {updates: 1}, changed: {updates: 11}, updating: {updates: 1000}}
		if test.client.Side == report.Theirs { // it reports all objects of a relist
			done[unchanged], done[changed] = counts{updates: 1001}, counts{updates: 1001}
		}
		done[test.phase] = test.got
		r := &result{phases: map[string]phase{}, marks: podserver.Marks{Requests: test.sent}}
		for name, counts := range done {
			r.phases[name] = phase{mark: mark{counts: counts}}
		}
		err := test.client.check(r)
		if test.want == "" && err != nil || test.want != "" && (err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
