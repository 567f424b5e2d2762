package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// TestMain lets the test binary be the command.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_FLEET") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestFleet runs all caches of both sides with a few objects, of which some change.
func TestFleet(t *testing.T) {
	for _, of := range [][]string{{"--side=controller-runtime"}, {"--side=crcache"}, {"--side=crcache", "--cache=fields"}, {"--side=crcache", "--cache=packed"}} {
		t.Run(strings.Join(of, " "), func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(podserver.NewFleet(200, of[0] == "--side=crcache"))
			defer web.Close()
			command := exec.CommandContext(t.Context(), os.Args[0], append(of, "--nodes=200", "--pods=200", "--minutes=0.001", "--url="+web.URL)...)
			command.Env = append(os.Environ(), "BENCH_FLEET=1")
			text, err := command.CombinedOutput()
			if err != nil || strings.Count(string(text), "BenchmarkFleet/") != 2 {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
