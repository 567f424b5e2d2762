// Package leaks fails the tests of a package if they leave goroutines. It does what go.uber.org/goleak
// does in the other modules. The root module does not require that one, because each test requirement
// of this module has two lines in the go.sum of its users (docs/design/minimums.md).
package leaks

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// grace is how long goroutines may take to end after the last test, as long as some do end.
const grace = 5 * time.Second

// Main runs the tests, and exits. TestMain calls it.
func Main(m *testing.M) {
	code := m.Run()
	if left := Wait(grace); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "the tests left %d goroutines:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// Wait returns the stacks of the goroutines that still run when none has ended for the given time. It
// ignores its own, and those of packages testing and os/signal.
func Wait(stalled time.Duration) []string {
	left := others()
	for last := time.Now(); len(left) > 0 && time.Since(last) < stalled; {
		time.Sleep(time.Millisecond)
		now := others()
		if len(now) < len(left) {
			last = time.Now()
		}
		left = now
	}
	return left
}

// others returns the stacks of all goroutines that count.
func others() []string {
	text := make([]byte, 1<<16)
	n := runtime.Stack(text, true)
	for n == len(text) {
		text = make([]byte, 2*n)
		n = runtime.Stack(text, true)
	}
	var stacks []string
	for _, stack := range strings.Split(strings.TrimSpace(string(text[:n])), "\n\n")[1:] { // the first one is this goroutine
		if !isIgnored(stack) {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// isIgnored reports whether a goroutine belongs to the test binary: it waits for a test, or it was
// started for signals.
func isIgnored(stack string) bool {
	for _, function := range []string{"\ntesting.(*T).Run(", "\ntesting.(*M).", "\ntesting.runFuzzing(", "\nos/signal.signal_recv(", "\nos/signal.loop("} {
		if strings.Contains(stack, function) {
			return true
		}
	}
	return false
}
