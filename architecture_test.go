package informergen_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/typedinformers/informer-gen"

// stages are the packages of the generator below internal, with the other stages
// that each may import.
var stages = map[string][]string{
	"decide":   {"input", "markers", "model", "spelling"},
	"input":    {"markers", "model"},
	"load":     {"input", "markers", "model", "regular", "spelling"},
	"markers":  {"model", "spelling"},
	"model":    nil,
	"regular":  nil,
	"render":   {"model"},
	"spelling": nil,
	"write":    {"regular"},
}

// TestImportsPointOneWay reads the imports of all packages, tests left out:
//
//	cmd ──▶ generator ──▶ load, decide ──▶ input ──▶ markers ──▶ model
//	                  ──▶ render ──▶ model
//	load, decide, markers ──▶ spelling        load, write ──▶ regular
//	templates: nothing of ours
//	runtime/cache ──▶ runtime/wire ──▶ apimachinery
func TestImportsPointOneWay(t *testing.T) {
	imports := listImports(t)
	if len(imports) < 8 {
		t.Fatalf("only %d packages are found", len(imports))
	}
	for pkg, imported := range imports {
		for _, path := range imported {
			if why := refuse(pkg, path); why != "" {
				t.Errorf("%s imports %s: %s", pkg, path, why)
			}
		}
	}
}

// refuse says why pkg, a path below the module, must not import path; "" if it may.
func refuse(pkg, path string) string {
	ours, isOurs := strings.CutPrefix(path, module+"/")
	if !isOurs {
		ours = ""
	}
	if path == "k8s.io/client-go" || strings.HasPrefix(path, "k8s.io/client-go/") {
		return "the module does not depend on client-go"
	}
	if strings.HasPrefix(pkg, "runtime/") {
		switch {
		case isOurs && !strings.HasPrefix(ours, "runtime/"):
			return "the runtime stands on nothing else of the module"
		case strings.HasPrefix(path, "k8s.io/gengo/") || strings.HasPrefix(path, "golang.org/x/tools/"):
			return "users would compile the generator's libraries"
		case pkg == "runtime/wire" && ours == "runtime/cache":
			return "the cache stands on the wire, not the other way round"
		}
		return ""
	}
	if strings.HasPrefix(ours, "runtime/") {
		return "the generator does not need the runtime"
	}
	stage, isStage := strings.CutPrefix(pkg, "generator/internal/")
	switch {
	case pkg == "templates" && isOurs:
		return "templates are data"
	case ours == "cmd" || strings.HasPrefix(ours, "cmd/"):
		return "a command is not a library"
	case isStage && ours == "generator":
		return "the generator runs the stages, not the other way round"
	case isStage && strings.HasPrefix(ours, "generator/internal/"):
		return refuseStage(stage, strings.TrimPrefix(ours, "generator/internal/"))
	}
	return ""
}

func refuseStage(stage, other string) string {
	allowed, known := stages[stage]
	if !known {
		return "add the new package to this test"
	}
	for _, name := range allowed {
		if name == other {
			return ""
		}
	}
	return "it is not among the packages that this one may import"
}

// listImports returns the imports of each package of the module by its path below
// the module.
func listImports(t *testing.T) map[string][]string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return imports
		}
		if err != nil {
			t.Fatal(err)
		}
		if path, ok := strings.CutPrefix(pkg.ImportPath, module+"/"); ok {
			imports[path] = pkg.Imports
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, test := range []struct{ pkg, path string }{
		{"runtime/cache", module + "/generator"},
		{"runtime/cache", "golang.org/x/tools/go/packages"},
		{"runtime/cache", "k8s.io/gengo/v2"},
		{"runtime/wire", module + "/runtime/cache"},
		{"runtime/wire", "k8s.io/client-go/rest"},
		{"generator/internal/load", module + "/generator/internal/render"},
		{"generator/internal/load", module + "/generator/internal/decide"},
		{"generator/internal/decide", module + "/generator/internal/load"},
		{"generator/internal/markers", module + "/generator/internal/input"},
		{"generator/internal/render", module + "/generator/internal/markers"},
		{"generator/internal/model", module + "/generator/internal/load"},
		{"generator/internal/write", module + "/generator/internal/model"},
		{"generator/internal/new", module + "/generator/internal/model"},
		{"generator/internal/render", module + "/generator"},
		{"generator", module + "/cmd/informer-gen"},
		{"generator", module + "/runtime/cache"},
		{"templates", module + "/generator/internal/model"},
	} {
		if refuse(test.pkg, test.path) == "" {
			t.Errorf("%s may import %s", test.pkg, test.path)
		}
	}
	for _, test := range []struct{ pkg, path string }{
		{"runtime/cache", module + "/runtime/wire"},
		{"generator", module + "/generator/internal/write"},
		{"generator/internal/render", module + "/templates"},
		{"generator/internal/render", module + "/generator/internal/model"},
		{"generator/internal/decide", module + "/generator/internal/markers"},
		{"cmd/informer-gen", module + "/generator"},
	} {
		if why := refuse(test.pkg, test.path); why != "" {
			t.Errorf("%s may not import %s: %s", test.pkg, test.path, why)
		}
	}
}
