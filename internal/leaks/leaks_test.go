package leaks

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is what other packages have.
func TestMain(m *testing.M) { Main(m) }

func TestWait(t *testing.T) {
	if left := Wait(time.Millisecond); len(left) > 0 {
		t.Fatalf("goroutines before the test: %q", left)
	}
	end := make(chan struct{})
	stays(end)
	isOurs := func(stack string) bool { return strings.Contains(stack, "leaks.stays") }
	if left := Wait(time.Millisecond); len(left) != 1 || !isOurs(left[0]) {
		t.Errorf("one goroutine waits, and these are left: %q", left)
	}
	many := make(chan struct{})
	for range 1000 {
		stays(many)
	}
	if left := Wait(time.Millisecond); len(left) != 1001 || slices.IndexFunc(left, isOurs) < 0 {
		t.Errorf("1001 goroutines wait, and %d are left", len(left))
	}
	close(many)
	close(end)
	if left := Wait(grace); len(left) > 0 {
		t.Errorf("goroutines that end are left: %q", left)
	}
}

// stays starts a goroutine that ends with the channel.
func stays(until chan struct{}) {
	go func() { <-until }()
}
