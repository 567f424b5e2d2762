package kubetest

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// TestServerRemovesItsData looks at the folder of a server that has kept it over a restart.
func TestServerRemovesItsData(t *testing.T) {
	server := start(t)
	before := server.Access()
	if err := server.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	if after := server.Access(); after != before {
		t.Errorf("after a restart clients need %+v, and before it %+v", after, before)
	}
	used, err := server.CPUTime()
	if err != nil || used <= 0 {
		t.Errorf("the server has used %v, %v", used, err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(before.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", before.Dir, err)
	}
}
