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
			servers := map[string]*podserver.Server{}
			for name, kind := range map[string]string{"nodes": podserver.Nodes, "pods": podserver.LargePods} {
				servers[name] = podserver.New(podserver.Options{Kind: podserver.Kinds[kind], Objects: 200, WithoutStreaming: of[0] == "--side=crcache"})
			}
			web := httptest.NewServer(podserver.Together(servers))
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
