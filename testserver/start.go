package testserver

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// Start starts a server for one test, and stops it when the test ends. It fails the test if either fails.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	server, err := New(t.Context(), options...)
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

// Run starts a server that all tests of a package share, stores it in *server, runs the tests, stops the server,
// and returns the exit code. An error goes to standard error, and the exit code is then 1.
//
//	var server *testserver.Server
//
//	func TestMain(m *testing.M) { os.Exit(testserver.Run(m, &server, testserver.WithCRDs("../config/crd"))) }
//
// tests is the *testing.M of TestMain.
func Run(tests interface{ Run() int }, server **Server, options ...Option) (exitCode int) {
	started, err := New(context.Background(), options...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*server = started
	exitCode = tests.Run()
	if err := started.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return exitCode
}
