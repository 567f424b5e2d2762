// Package servertest runs the tests of a package with an API server that they share.
package servertest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/typedinformers/informer-gen/test/apiserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// Main starts the server with the CRDs of manifests, stores it in shared, runs the tests,
// and exits. It fails if goroutines are left after the tests, when all servers have
// stopped.
func Main(m *testing.M, manifests string, shared **apiserver.Server) {
	code, err := run(m, manifests, shared)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M, manifests string, shared **apiserver.Server) (code int, err error) {
	ctx, cancel := progress.Follow(context.Background())
	defer cancel()
	crds, err := apiserver.LoadCRDs(manifests)
	if err != nil {
		return 1, err
	}
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return 1, err
	}
	if err := server.InstallCRDs(ctx, crds...); err != nil {
		return 1, err
	}
	*shared = server
	code = m.Run()
	if err := server.Stop(); err != nil {
		return 1, err
	}
	// The timer of a consistent read from the API server's watch cache sleeps for 3 s, even
	// after the read has returned. Nothing can stop it.
	return code, goleak.Find(goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"))
}

// Start starts a server for one test. It stops with the test.
func Start(t *testing.T, options apiserver.Options) *apiserver.Server {
	t.Helper()
	server, err := apiserver.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}
