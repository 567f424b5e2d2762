package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(isServer) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// TestSoak runs with few objects, and with many disturbances in a short time.
func TestSoak(t *testing.T) {
	o := options{Objects: 2000, Rate: 300, For: 3 * time.Second, Every: time.Second, Calm: 300 * time.Millisecond, Seed: 1, Out: t.TempDir()}
	var out bytes.Buffer
	if err := run(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text, err := os.ReadFile(o.Out + "/soak.txt")
	if err != nil || !strings.Contains(string(text), "seed 1: passed") {
		t.Errorf("the table is %s, %v", text, err)
	}
	if picture, err := os.ReadFile(o.Out + "/soak.svg"); err != nil || !bytes.Contains(picture, []byte("<svg")) {
		t.Errorf("the picture is not SVG: %v", err)
	}
}
