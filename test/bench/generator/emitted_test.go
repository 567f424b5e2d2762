package generator

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFactoryEmitsNoMachine checks that the package of a generated factory compiles no generic code of types that only the machine
// of the runtime has, and no promoted methods: both cost processor time in each build of a user. docs/design/factory.md has figures.
func TestFactoryEmitsNoMachine(t *testing.T) {
	module := filepath.Join(repo, "test")
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-f", "{{.Export}}", "./migration/migrated/generated/informers/externalversions")
	list.Dir = module
	object, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", string(bytes.TrimSpace(object))).Output()
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for lines := bufio.NewScanner(bytes.NewReader(symbols)); lines.Scan(); {
		_, function, is := strings.Cut(lines.Text(), " T ")
		if !is {
			continue
		}
		functions++
		for _, unwanted := range []string{"sync/atomic.", "/runtime/wire.err", "/runtime/wire.(*task", "externalversions.sharedInformerFactory."} {
			if strings.Contains(function, unwanted) && !strings.HasPrefix(function, "type:.eq.") {
				t.Errorf("the package of the factory compiles %s", function)
			}
		}
	}
	if functions < 50 {
		t.Errorf("the package of the factory has %d functions, too few for this test to see anything", functions)
	}
}
