package vet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommand runs the command over packages of testdata, on its own and as the tool of go vet. The facts about functions of another
// package are in files then.
func TestCommand(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "informer-vet")
	if output, err := exec.Command("go", "build", "-o", tool, "./cmd/informer-vet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	gopath, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command  []string
		findings []string
	}{
		{[]string{tool, "tombstone"}, []string{"tombstone.go:18:16: if the watch has missed a deletion", "in Name, this assertion of *v1.Pod panics"}},
		{[]string{"go", "vet", "-vettool=" + tool, "cachewrite"}, []string{"calling Label changes the object in the cache that PodNamespaceLister.Get returned (write to Labels in other.go:10)"}},
		{[]string{tool, "-blocking", "tombstone", "handlererr"}, nil},
		{[]string{tool, "--help"}, nil},
		{[]string{tool, "-handlererr.all", "-handlererr", "tombstone"}, []string{"the error of AddEventHandler is dropped"}},
	} {
		command := exec.Command(test.command[0], test.command[1:]...)
		command.Env = append(os.Environ(), "GO111MODULE=off", "GOFLAGS=", "GOPATH="+gopath)
		output, err := command.CombinedOutput()
		if (err != nil) != (len(test.findings) > 0) {
			t.Errorf("%v: %v\n%s", test.command[1:], err, output)
		}
		for _, finding := range test.findings {
			if !strings.Contains(string(output), finding) {
				t.Errorf("%v: want %q in\n%s", test.command[1:], finding, output)
			}
		}
	}
}
