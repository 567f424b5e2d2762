package main

import "testing"

// TestDemo plays the demo to its end; what it prints is for a person to judge.
func TestDemo(t *testing.T) {
	if err := run(t.Context(), "../../.."); err != nil {
		t.Fatal(err)
	}
}
