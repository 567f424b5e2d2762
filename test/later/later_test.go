package later

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var programs = flag.Bool("programs", false, "compile and run programs with copies of modules whose interfaces have a method more, which takes minutes")

// TestEachTypeEmbedsItsInterface fails for a type that a method more in an interface of another module would stop from
// compiling, unless accepted has the reason why that cannot be helped. It also fails for one that lacks a method which the
// interface has now: the compiler does not find it, because the nil interface has it too.
func TestEachTypeEmbedsItsInterface(t *testing.T) {
	_, _, pairs := load(t)
	used := map[*Exception]map[string]bool{}
	delegating := map[string]bool{}
	for _, p := range pairs {
		if p.Embeds {
			if forAll, _ := exceptionOf(Pair{Type: "*", Interface: p.Interface}); forAll != nil {
				continue
			}
			if _, ok := delegates[p.Type]; len(p.Inherited) > 0 && !ok {
				t.Errorf("%s: %s becomes a %s, and has no %s of its own; a nil interface that it embeds would panic", p.At, p.Type, p.Interface, strings.Join(p.Inherited, ", "))
			}
			delegating[p.Type] = delegating[p.Type] || len(p.Inherited) > 0
			continue
		}
		exception, of := exceptionOf(p)
		if exception == nil {
			t.Errorf("%s: %s becomes a %s; embed the interface in a field that is nil, or add the pair to accepted.go with the reason", p.At, p.Type, p.Interface)
			continue
		}
		if used[exception] == nil {
			used[exception] = map[string]bool{}
		}
		used[exception][of] = true
	}
	for name := range delegates {
		if !delegating[name] {
			t.Errorf("accepted.go says that %s delegates, and it has all methods itself; remove it", name)
		}
	}
	for i := range accepted {
		for _, of := range accepted[i].Interfaces {
			if !used[&accepted[i]][of] {
				t.Errorf("accepted.go has %s and %s, which no conversion needs; remove the pair", accepted[i].Type, of)
			}
		}
	}
}

// TestProgramsRunWithAMethodMore compiles the modules of users with a method more in each interface that a type embeds, and runs
// tests of them, which use the methods that the interfaces have now.
func TestProgramsRunWithAMethodMore(t *testing.T) {
	if !*programs {
		t.Skip("compiles client-go and controller-runtime again; -programs runs it")
	}
	w, loaded, pairs := load(t)
	var interfaces []string
	for _, p := range pairs {
		isCopied := slices.ContainsFunc(copied, func(path string) bool { return strings.HasPrefix(p.Interface, path+"/") })
		if forAll, _ := exceptionOf(Pair{Type: "*", Interface: p.Interface}); p.Embeds && isCopied && forAll == nil {
			interfaces = append(interfaces, p.Interface)
		}
	}
	slices.Sort(interfaces)
	interfaces = slices.Compact(interfaces)
	t.Logf("these interfaces have a method more:\n%s", strings.Join(interfaces, "\n"))
	if err := w.AddMethods(t.Context(), loaded, interfaces); err != nil {
		t.Fatal(err)
	}
	factory, err := os.ReadFile("testdata/factory_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "generated", "factory_test.go"), factory, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"test", "-vet=off", "-short", module + "/adapters/clientgo", module + "/testdata/smoke", generated},
		{"test", "-vet=off", "-short", "-run=^Test(OwnWritesOfAManager|HandlersGetTheirForm|FormsOfOneKind|LateHandler|Source)$", module + "/adapters/controllerruntime"},
	} {
		if err := w.Go(t.Context(), command...); err != nil {
			t.Error(err)
		}
	}
}

// exceptionOf returns the exception for a pair, and the member of its Interfaces, or nil.
func exceptionOf(p Pair) (*Exception, string) {
	for i, exception := range accepted {
		if exception.Type != "*" && exception.Type != p.Type {
			continue
		}
		for _, of := range exception.Interfaces {
			if of == p.Interface || strings.HasSuffix(of, "/") && strings.HasPrefix(p.Interface, of) {
				return &accepted[i], of
			}
		}
	}
	return nil, ""
}

func load(t *testing.T) (*Workspace, *Loaded, []Pair) {
	t.Helper()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorkspace(t.Context(), repo, filepath.Join(repo, "build", "later"))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := w.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w, loaded, Find(loaded)
}
