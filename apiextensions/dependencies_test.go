package apiextensions_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies keeps away the packages that would double the time to compile a test: the clients of all
// kinds, and the registry and the storage of an API server.
func TestDependencies(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(output))
	for _, name := range packages {
		for _, heavy := range []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/informers", "k8s.io/apiserver/pkg/registry", "k8s.io/apiserver/pkg/storage", "k8s.io/apiserver/pkg/endpoints/handlers", "go.etcd.io/"} {
			if strings.HasPrefix(name, heavy) {
				t.Errorf("the package depends on %s", name)
			}
		}
	}
	if len(packages) < 300 {
		t.Errorf("only %d packages were found", len(packages))
	}
}
