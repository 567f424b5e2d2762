package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPeakOfSmallProcess has a child that is smaller than the test.
func TestPeakOfSmallProcess(t *testing.T) {
	if _, _, err := measure(exec.Command("true")); err == nil || !strings.Contains(err.Error(), "more memory") {
		t.Errorf("a peak that is too low to be true is taken: %v", err)
	}
}

func TestMeasureFailure(t *testing.T) {
	_, _, err := measure(exec.Command("sh", "-c", "echo what went wrong >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("the error is %v", err)
	}
}
