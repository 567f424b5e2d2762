package repository_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs all tests in the top folder.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
