package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demotest"
)

func TestDemo(t *testing.T) {
	demotest.Stay(t, func(ctx context.Context) error { return run(ctx, "../../..", true) }, func(text string) bool {
		return strings.Contains(text, "database-operator") && strings.Contains(text, "databaseservers")
	}, "ready: 4 informers", patience)
}

// TestOperatorEnds waits for an event of an operator that has ended: the demo ends too and says why,
// so no one looks at addresses that no longer answer.
func TestOperatorEnds(t *testing.T) {
	log := filepath.Join(t.TempDir(), "operator.log")
	if err := os.WriteFile(log, []byte("I1 Stopped\noperator: the leader's Lease was lost\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &stage{operatorLog: log, operator: exec.Command("false"), events: make(chan event)}
	if err := s.operator.Start(); err != nil {
		t.Fatal(err)
	}
	s.awaitOperator()
	const want = "the operator has ended by itself (exit status 1): operator: the leader's Lease was lost"
	if err := s.await(t.Context(), isOrders("")); err == nil || err.Error() != want {
		t.Errorf("the demo ended with %v, want %s", err, want)
	}
	if err := s.close(); err != nil {
		t.Errorf("close has another error: %v", err)
	}
}
