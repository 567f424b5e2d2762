package repository_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// user is a package that uses the informers of three kinds, as a generated one and a controller do.
const user = `package user

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

type (
	A struct{ metav1.PartialObjectMetadata }
	B struct{ metav1.PartialObjectMetadata }
	C struct{ metav1.PartialObjectMetadata }
)

func follow[T cache.Object](f *cache.SharedInformerFactory, client cache.TypedClient[runtime.Object]) (*cache.Lister[T], cache.GenericInformer) {
	informer := cache.InformerFor(f, cache.Kind[T]{ListWatch: func(string) cache.ListerWatcher[T] { return cache.NewListWatch[T](client) }})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{})
	return cache.NewLister(informer.GetIndexer(), schema.GroupResource{}), cache.NewGenericInformer(informer)
}

var (
	FollowA = follow[*A]
	FollowB = follow[*B]
	FollowC = follow[*C]
)
`

// maxFunctions is the number of functions of the runtime that the package of user may have. Each takes the compiler about
// half a millisecond. There were 3,100 for one kind while the machine had a type parameter.
const maxFunctions = 450

// converting are functions that convert what the machine has to the types of its users.
var converting = []string{"/store.FormOf", "/store.Typed", "/store.Each"}

// TestUsersCompileFacesOnly compiles a package that uses informers. It has the methods that convert, and nothing of the machine
// below them: a generic type that can be reached from an exported one would be compiled there again.
func TestUsersCompileFacesOnly(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "user.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "user", "user.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{source: []byte(user), overlay: replaced} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		output, err := exec.CommandContext(t.Context(), "go", args...).Output()
		if failed, is := err.(*exec.ExitError); is {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, failed.Stderr)
		} else if err != nil {
			t.Fatal(err)
		}
		return string(output)
	}
	archive := strings.TrimSpace(run("list", "-export", "-overlay="+overlay, "-f={{.Export}}", "./user"))
	functions, rooms := 0, map[string]bool{}
	for line := range strings.Lines(run("tool", "nm", archive)) {
		fields := strings.Fields(line) // address, kind, name, which may have spaces
		if len(fields) < 3 || fields[1] != "T" && fields[1] != "t" {
			continue
		}
		name := strings.Join(fields[2:], " ")
		_, of, isOurs := strings.Cut(name, module+"/runtime/")
		if !isOurs {
			continue
		}
		functions++
		if before, _, _ := strings.Cut(name, "["); strings.Contains(before, "/internal/") && !slices.ContainsFunc(converting, func(name string) bool { return strings.Contains(before, name) }) {
			rooms[of] = true
		}
	}
	t.Logf("%d functions", functions)
	if functions == 0 || functions > maxFunctions {
		t.Errorf("a package that uses three kinds has %d functions of the runtime, want at most %d", functions, maxFunctions)
	}
	for name := range rooms {
		t.Errorf("it has %s, which belongs to the machine", name)
	}
}
