package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// TestMain lets the test binary be the command: client-go's informers have one mode in a
// whole process.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_CLIENT") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var names = regexp.MustCompile(`(?m)^BenchmarkTest/(\w+)/objects=300/side=`)

// TestClients lets all sides follow the same collection in all scenarios. Each fails if it does not end in the state of the
// server.
func TestClients(t *testing.T) {
	changes := []string{"FirstSync", "Relist", "Relist1Percent", "Events"}
	for _, test := range []struct {
		args    string
		results []string
	}{
		{"--mode=streaming --scenario=changes", changes},
		{"--mode=LIST --scenario=changes", changes},
		{"--mode=streaming --scenario=relists", changes[:3]},
		{"--mode=streaming --scenario=changes --json", changes},
		{"--mode=LIST --scenario=sync --fields=view", []string{"FirstSync"}},
		{"--mode=streaming --scenario=sync --fields=unmanaged --json", []string{"FirstSync"}},
		{"--mode=streaming --scenario=slow", []string{"Backlog"}},
		{"--mode=streaming --scenario=limited", []string{"Backlog"}},
		{"--mode=default --scenario=changes --kind=2|KB", changes},
	} {
		for _, side := range []string{"informer-gen", "client-go", "crcache", "controller-runtime"} {
			isManager := side == "crcache" || side == "controller-runtime"
			if isManager && (!strings.Contains(test.args, "default") || testing.Short()) {
				continue // has no such settings
			}
			t.Run(side+" "+test.args, func(t *testing.T) {
				t.Parallel() // most of the time they wait before they list again
				kind := podserver.Pods
				if strings.Contains(test.args, "KB") {
					kind = podserver.Small
				}
				isProtobuf := kind == podserver.Pods && !strings.Contains(test.args, "--json")
				web := httptest.NewServer(podserver.New(podserver.Options{Kind: podserver.Kinds[kind], Objects: 300, Protobuf: isProtobuf}))
				defer web.Close()
				args := strings.Fields(test.args + " --objects=300 --name=Test --side=" + side + " --url=" + web.URL)
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "|", " ")
				}
				command := exec.CommandContext(t.Context(), os.Args[0], args...)
				command.Env = append(os.Environ(), "BENCH_CLIENT=1")
				output, err := command.CombinedOutput()
				var got []string
				for _, match := range names.FindAllSubmatch(output, -1) {
					got = append(got, string(match[1]))
				}
				if err != nil || !slices.Equal(got, test.results) {
					t.Errorf("%v, results of %q instead of %q:\n%s", err, got, test.results, output)
				}
			})
		}
	}
}

// TestNext names client-go's version in the results only if the program has it.
func TestNext(t *testing.T) {
	web := httptest.NewServer(podserver.New(podserver.Options{Kind: podserver.Kinds[podserver.Pods], Objects: 10, Protobuf: true}))
	defer web.Close()
	for version, want := range map[string]string{linkedClientGo(): "side=client-go@next ", "v0.0.1": "not v0.0.1"} {
		command := exec.CommandContext(t.Context(), os.Args[0], "--scenario=sync", "--objects=10", "--side=client-go", "--next="+version, "--url="+web.URL)
		command.Env = append(os.Environ(), "BENCH_CLIENT=1")
		output, err := command.CombinedOutput()
		if (err != nil) != (version == "v0.0.1") || !strings.Contains(string(output), want) {
			t.Errorf("--next=%s: %v, no %q in:\n%s", version, err, want, output)
		}
	}
	if linkedClientGo()[:2] != "v0" {
		t.Errorf("the program has client-go %s", linkedClientGo())
	}
}

// TestCheckRequests takes no informer that has sent other requests than it should.
func TestCheckRequests(t *testing.T) {
	for _, test := range []struct {
		mode string
		json bool
		sent link.Requests
		want bool
	}{
		{"LIST", true, link.Requests{Lists: 1, Watches: 1}, true},
		{"LIST", true, link.Requests{Lists: 2, Watches: 1}, false},
		{"LIST", true, link.Requests{Streams: 1}, false},
		{"streaming", true, link.Requests{Streams: 1}, true},
		{"streaming", true, link.Requests{Lists: 1, Watches: 1}, false},
		{"default", true, link.Requests{Lists: 1}, true},
		{"LIST", false, link.Requests{Lists: 1, Watches: 1, Protobuf: 2}, true},
		{"LIST", false, link.Requests{Lists: 1, Watches: 1, Protobuf: 1}, false},
		{"LIST", true, link.Requests{Lists: 1, Protobuf: 1}, false},
	} {
		c := client{mode: test.mode, scenario: "sync", json: test.json, kindName: podserver.Pods, shards: 1}
		if err := c.checkRequests(test.sent); (err == nil) != test.want {
			t.Error(fmt.Errorf("%+v: %w", test, err))
		}
	}
}
