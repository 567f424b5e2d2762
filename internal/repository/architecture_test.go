package repository_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/typedinformers/informer-gen"

// rooms are the packages of the module, with those that each may import. Imports point one
// way:
//
//	cmd ──▶ migrate ──▶ rewrite, shell
//	cmd ──▶ generator ──▶ load ──▶ typecheck ──▶ describe ──▶ syntax
//	                           ──▶ golist, clientgo, manifest ──▶ input ──▶ markers ──▶ model
//	                  ──▶ decide ──▶ applyconfig, merge, deepcopy, register ──▶ input
//	                  ──▶ render ──▶ model, templates
//	                  ──▶ write
//	runtime/cache ──▶ its rooms ──▶ runtime/wire ──▶ plan ──▶ apimachinery
//	observe/debugpage, observe/healthz ──▶ observe ──▶ observe/internal/redact ──▶ runtime/cache/status ──▶ runtime/wire
//	observe/debugpage, apitest, and the module testserver ──▶ internal/loopback
//	apitest, runtime/cache/internal/source, and the module testserver ──▶ internal/fieldmarks
//	generator/internal/manifest, and the modules apiextensions and testserver ──▶ internal/crdfile ──▶ apimachinery
//	apitest ──▶ reactors, faults ──▶ serve ──▶ watch ──▶ rest ──▶ kinds, history
//	apitest ──▶ its rooms ──▶ internal/smd ──▶ apimachinery      runtime/merge ──▶ internal/smd
var rooms = map[string][]string{
	"cmd/informer-gen":                  {"cmd/informer-gen/internal/migrate", "generator", "generator/internal/regular", "internal/spelling", "internal/terminal"},
	"cmd/informer-gen/internal/migrate": {"cmd/informer-gen/internal/rewrite", "cmd/informer-gen/internal/shell", "internal/terminal"},
	"cmd/informer-gen/internal/rewrite": nil,
	"cmd/informer-gen/internal/shell":   nil,
	"generator":                         {"generator/internal/", "internal/spelling"},
	"generator/internal/clientgo":       {"generator/internal/input", "internal/terminal"},
	"generator/internal/cycle":          {"generator/internal/model"},
	"generator/internal/decide": {
		"generator/internal/applyconfig", "generator/internal/deepcopy", "generator/internal/input", "generator/internal/markers", "generator/internal/merge", "generator/internal/model",
		"generator/internal/register", "internal/spelling", "internal/terminal",
	},
	"generator/internal/applyconfig": {"generator/internal/gotype", "generator/internal/input", "generator/internal/markers", "generator/internal/model"},
	"generator/internal/deepcopy":    {"generator/internal/gotype", "generator/internal/input", "generator/internal/markers", "generator/internal/model"},
	"generator/internal/describe":    {"generator/internal/gotype", "generator/internal/input", "generator/internal/markers", "generator/internal/model", "generator/internal/regular", "generator/internal/syntax"},
	"generator/internal/gotype":      {"generator/internal/model"},
	"generator/internal/manifest":    {"generator/internal/input", "generator/internal/model", "generator/internal/regular", "internal/crdfile"},
	"generator/internal/merge":       {"generator/internal/gotype", "generator/internal/input", "generator/internal/markers", "generator/internal/model", "generator/internal/regular", "internal/spelling"},
	"generator/internal/register":    {"generator/internal/input", "generator/internal/markers", "generator/internal/model"},
	"generator/internal/golist":      {"generator/internal/input", "generator/internal/model", "generator/internal/regular", "generator/internal/syntax", "internal/terminal"},
	"generator/internal/input":       {"generator/internal/markers", "generator/internal/model"},
	"generator/internal/load": {
		"generator/internal/clientgo", "generator/internal/describe", "generator/internal/golist", "generator/internal/input", "generator/internal/manifest", "generator/internal/model",
		"generator/internal/regular", "generator/internal/syntax", "generator/internal/typecheck", "internal/terminal",
	},
	"generator/internal/markers": {"generator/internal/model", "internal/spelling"},
	"generator/internal/model":   nil,
	"generator/internal/regular": nil,
	"generator/internal/render":  {"generator/internal/model", "templates"},
	"generator/internal/syntax":  {"generator/internal/model", "generator/internal/regular"},
	"generator/internal/typecheck": {
		"generator/internal/describe", "generator/internal/golist", "generator/internal/gotype", "generator/internal/input", "generator/internal/markers", "generator/internal/model",
		"generator/internal/regular", "generator/internal/syntax", "internal/spelling", "internal/terminal",
	},
	"internal/spelling":        nil,
	"internal/terminal":        nil,
	"generator/internal/write": {"generator/internal/regular", "internal/terminal"},
	"templates":                nil,

	"apitest":                    {"apitest/internal/", "internal/fieldmarks", "internal/loopback"},
	"apitest/internal/builtin":   nil,
	"apitest/internal/discovery": {"apitest/internal/kinds", "apitest/internal/media", "apitest/internal/openapi"},
	"apitest/internal/fields":    {"internal/smd"},
	"apitest/internal/history":   nil,
	"apitest/internal/kinds":     {"apitest/internal/builtin", "apitest/internal/fields", "apitest/internal/history"},
	"apitest/internal/media":     nil,
	"apitest/internal/naming":    nil,
	"apitest/internal/openapi":   {"apitest/internal/kinds"},
	"apitest/internal/reactors":  {"apitest/internal/history", "apitest/internal/kinds", "apitest/internal/media", "apitest/internal/rest", "apitest/internal/serve"},
	"apitest/internal/rest":      {"apitest/internal/fields", "apitest/internal/history", "apitest/internal/kinds", "apitest/internal/naming", "apitest/internal/selection"},
	"apitest/internal/selection": {"apitest/internal/builtin", "apitest/internal/history"},
	"apitest/internal/serve": {
		"apitest/internal/discovery", "apitest/internal/history", "apitest/internal/kinds", "apitest/internal/media", "apitest/internal/rest",
		"apitest/internal/selection", "apitest/internal/watch",
	},
	"apitest/internal/watch":       {"apitest/internal/history", "apitest/internal/kinds", "apitest/internal/media", "apitest/internal/rest", "apitest/internal/selection"},
	"internal/crdfile":             nil,
	"internal/human":               nil,
	"internal/leaks":               nil, // for tests
	"internal/repository":          nil, // tests of all
	"internal/fieldmarks":          nil,
	"internal/loopback":            nil,
	"internal/packing":             {"runtime/compression"},
	"internal/packing/packingtest": {"internal/packing", "runtime/compression"}, // for tests
	"internal/printable":           nil,
	"internal/smd":                 nil,
	"internal/synced":              nil, // for the adapters

	"observe":                    {"internal/human", "internal/printable", "observe/internal/redact", "runtime/cache/status", "runtime/wire"},
	"observe/debugpage":          {"internal/human", "internal/loopback", "internal/printable", "observe", "observe/internal/negotiate", "runtime/cache/status"},
	"observe/healthz":            {"internal/human", "observe", "observe/internal/negotiate", "runtime/cache/status"},
	"observe/internal/negotiate": nil,
	"observe/internal/redact":    {"internal/printable", "runtime/cache/status", "runtime/wire"},

	"runtime/bodies":                {"runtime/redirect"},
	"runtime/cache":                 {"internal/human", "internal/packing", "internal/printable", "runtime/cache/internal/", "runtime/bodies", "runtime/cache/status", "runtime/compression", "runtime/fieldselector", "runtime/internal/", "runtime/redirect", "runtime/sharding", "runtime/wire", "runtime/writes"},
	"runtime/cache/internal/advice": {"internal/human", "internal/printable", "runtime/cache/internal/protocol", "runtime/wire"},
	"runtime/cache/internal/cachetest": {
		"apitest", "internal/packing/packingtest", "runtime/cache/internal/deltafifo", "runtime/cache/internal/indexer", "runtime/cache/internal/listed",
		"runtime/cache/internal/processor", "runtime/cache/internal/source", "runtime/wire", "runtime/writes",
	},
	"runtime/cache/internal/clock": nil,
	"runtime/cache/internal/deltafifo": {
		"runtime/cache/internal/clock", "runtime/cache/internal/freelist", "runtime/cache/internal/frontier", "runtime/cache/internal/listed", "runtime/wire",
	},
	"runtime/cache/internal/difference": {"internal/printable"},
	"runtime/cache/internal/freelist":   nil,
	"runtime/cache/internal/frontier":   {"runtime/cache/internal/clock"},
	"runtime/cache/internal/gate": {
		"runtime/cache/internal/listed", "runtime/cache/internal/scoping", "runtime/cache/internal/source", "runtime/cache/internal/store", "runtime/wire",
	},
	"runtime/cache/internal/hook": nil,
	"runtime/cache/internal/indexer": {
		"runtime/cache/internal/deltafifo", "runtime/cache/internal/freelist", "runtime/cache/internal/listed", "runtime/cache/internal/processor",
		"runtime/cache/internal/protocol", "runtime/cache/internal/store", "runtime/internal/", "runtime/wire",
	},
	"runtime/cache/internal/informer": {
		"runtime/cache/internal/clock", "runtime/cache/internal/deltafifo", "runtime/cache/internal/frontier", "runtime/cache/internal/indexer",
		"runtime/cache/internal/initial", "runtime/cache/internal/listed", "runtime/cache/internal/processor", "runtime/cache/internal/progress",
		"runtime/cache/internal/protocol", "runtime/cache/internal/reflector", "runtime/cache/internal/scoping", "runtime/wire",
	},
	"runtime/cache/internal/initial":  nil,
	"runtime/cache/internal/listed":   {"runtime/wire"},
	"runtime/cache/internal/mistakes": nil,
	"runtime/cache/internal/monitor": {
		"internal/printable", "runtime/cache/internal/advice", "runtime/cache/internal/clock", "runtime/cache/internal/deltafifo", "runtime/cache/internal/difference",
		"runtime/cache/internal/frontier", "runtime/cache/internal/hook", "runtime/cache/internal/informer", "runtime/cache/internal/listed",
		"runtime/cache/internal/mutation", "runtime/cache/internal/outage", "runtime/cache/internal/pack", "runtime/cache/internal/processor",
		"runtime/cache/internal/progress", "runtime/cache/internal/protocol", "runtime/cache/internal/reflector", "runtime/cache/internal/scoping",
		"runtime/cache/internal/stats", "runtime/cache/status", "runtime/wire",
	},
	"runtime/cache/internal/mutation": {"internal/printable", "runtime/cache/internal/difference", "runtime/wire"},
	"runtime/cache/internal/outage": {
		"runtime/cache/internal/advice", "runtime/cache/internal/clock", "runtime/cache/internal/progress", "runtime/cache/internal/protocol",
	},
	"runtime/cache/internal/ownwrites": {
		"runtime/cache/internal/clock", "runtime/cache/internal/deltafifo", "runtime/cache/internal/frontier", "runtime/cache/internal/indexer",
		"runtime/cache/internal/informer", "runtime/cache/internal/listed", "runtime/cache/internal/reflector", "runtime/sharding", "runtime/wire", "runtime/writes",
	},
	"runtime/cache/internal/pack":      {"internal/packing", "runtime/compression", "runtime/cache/internal/indexer", "runtime/cache/internal/source", "runtime/cache/internal/store", "runtime/wire"},
	"runtime/cache/internal/processor": {"runtime/cache/internal/clock", "runtime/cache/internal/freelist", "runtime/cache/internal/initial", "runtime/wire"},
	"runtime/cache/internal/progress":  nil,
	"runtime/cache/internal/protocol":  {"internal/printable", "runtime/internal/", "runtime/redirect", "runtime/wire"},
	"runtime/cache/internal/reflector": {
		"internal/printable", "runtime/cache/internal/clock", "runtime/cache/internal/deltafifo", "runtime/cache/internal/freelist", "runtime/cache/internal/frontier",
		"runtime/cache/internal/initial", "runtime/cache/internal/listed", "runtime/cache/internal/progress", "runtime/cache/internal/protocol",
		"runtime/cache/internal/source", "runtime/wire",
	},
	"runtime/cache/internal/scopes": {
		"runtime/cache/internal/deltafifo", "runtime/cache/internal/frontier", "runtime/cache/internal/informer", "runtime/cache/internal/initial",
		"runtime/cache/internal/listed", "runtime/wire",
	},
	"runtime/cache/internal/scoping": {"runtime/sharding"},
	"runtime/cache/internal/source":  {"internal/fieldmarks", "runtime/cache/internal/protocol", "runtime/internal/", "runtime/sharding", "runtime/wire"},
	"runtime/cache/internal/stats":   {"runtime/cache/internal/clock"},
	"runtime/cache/internal/store":   {"runtime/wire"},
	"runtime/cache/status": {
		"internal/human", "internal/printable", "runtime/cache/internal/advice", "runtime/cache/internal/listed", "runtime/cache/internal/protocol",
		"runtime/cache/internal/stats", "runtime/wire",
	},
	"runtime/internal/fieldmask":     nil,
	"runtime/internal/safemeta":      nil,
	"runtime/compression":            nil,
	"runtime/fieldselector":          nil,
	"runtime/merge":                  {"internal/smd"},
	"runtime/packed":                 {"runtime/cache", "runtime/compression"},
	"runtime/redirect":               {"internal/printable", "runtime/internal/"},
	"runtime/sharding":               nil,
	"runtime/wire":                   {"internal/printable", "runtime/internal/", "runtime/wire/internal/memory", "runtime/wire/internal/plan", "runtime/wire/internal/protobuf"},
	"runtime/wire/internal/plan":     {"internal/printable", "internal/spelling", "runtime/internal/", "runtime/wire/internal/memory"},
	"runtime/wire/internal/memory":   nil,
	"runtime/wire/internal/protobuf": {"internal/printable", "runtime/internal/", "runtime/wire/internal/memory", "runtime/wire/internal/plan"},
	"runtime/writes":                 {"runtime/internal/"},
}

func TestImportsPointOneWay(t *testing.T) {
	packages := listPackages(t)
	if len(packages) != len(rooms) {
		t.Errorf("the module has %d packages, and this test has %d", len(packages), len(rooms))
	}
	for name, content := range packages {
		for _, path := range content.Imports {
			if why := refuse(name, path); why != "" {
				t.Errorf("%s imports %s: %s", name, path, why)
			}
		}
	}
}

// TestCoreImportsNoFeature: a plain informer has no feature, and no package that it is made of imports one.
func TestCoreImportsNoFeature(t *testing.T) {
	const internal = "runtime/cache/internal/"
	packages := listPackages(t)
	for _, core := range []string{"deltafifo", "frontier", "gate", "indexer", "informer", "listed", "processor", "progress", "protocol", "reflector", "source", "store"} {
		reached := []string{internal + core}
		if packages[internal+core].ImportPath == "" {
			t.Errorf("there is no package %s", internal+core)
		}
		for i := 0; i < len(reached); i++ {
			for _, path := range packages[reached[i]].Imports {
				if ours, is := strings.CutPrefix(path, module+"/"); is && !slices.Contains(reached, ours) {
					reached = append(reached, ours)
				}
			}
		}
		for _, feature := range []string{"advice", "hook", "monitor", "mutation", "outage", "ownwrites", "pack", "scopes", "stats"} {
			if packages[internal+feature].ImportPath == "" {
				t.Errorf("there is no package %s", internal+feature)
			}
			if slices.Contains(reached, internal+feature) {
				t.Errorf("%s imports the feature %s, by one of %q", core, feature, reached)
			}
		}
	}
}

// refuse returns why a package of the module must not import path; "" if it may.
func refuse(name, path string) string {
	allowed, known := rooms[name]
	if !known {
		return "add the new package to this test"
	}
	ours, isOurs := strings.CutPrefix(path, module+"/")
	switch {
	case isOurs:
		may := func(room string) bool {
			return ours == room || strings.HasSuffix(room, "/") && strings.HasPrefix(ours, room)
		}
		if !slices.ContainsFunc(allowed, may) {
			return "it is not among the packages that this one may import"
		}
	case strings.HasPrefix(path+"/", "k8s.io/client-go/"):
		return "the module does not depend on client-go"
	case strings.HasPrefix(path, "github.com/klauspost/") && name != "runtime/packed":
		return "only programs that pack objects link the compression"
	case strings.HasPrefix(path, "k8s.io/apiextensions-apiserver/") || strings.HasPrefix(path, "k8s.io/apiserver/"):
		return "what needs the libraries of an API server is in the module apiextensions"
	case strings.HasPrefix(path, "sigs.k8s.io/structured-merge-diff/"):
		return "its path has another major version in other versions of Kubernetes; use internal/smd"
	case (strings.HasPrefix(name, "runtime/") || strings.HasPrefix(name, "apitest")) && (strings.HasPrefix(path, "k8s.io/gengo/") || strings.HasPrefix(path, "golang.org/x/tools/")):
		return "users would compile the generator's libraries"
	}
	return ""
}

// pkg is a package as go list prints it.
type pkg struct {
	ImportPath       string
	GoFiles, Imports []string
}

// listPackages returns the packages of the module by their paths below the module.
func listPackages(t *testing.T) map[string]pkg {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]pkg{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var next pkg
		err := decoder.Decode(&next)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		if path, ok := strings.CutPrefix(next.ImportPath, module+"/"); ok {
			packages[path] = next
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, test := range []struct{ pkg, path string }{
		{"runtime/cache", module + "/generator"},
		{"runtime/cache", "golang.org/x/tools/go/packages"},
		{"runtime/cache", "k8s.io/gengo/v2"},
		{"runtime/cache", module + "/apitest"},
		{"apitest", module + "/runtime/cache"},
		{"apitest", "k8s.io/gengo/v2"},
		{"apitest/internal/rest", module + "/apitest/internal/serve"},
		{"internal/smd", "sigs.k8s.io/structured-merge-diff/v6/typed"},
		{"runtime/wire", module + "/runtime/cache"},
		{"runtime/cache", module + "/observe"},
		{"runtime/cache/status", module + "/runtime/cache"},
		{"runtime/cache/internal/reflector", module + "/runtime/cache/status"},
		{"observe", module + "/runtime/cache"},
		{"observe", module + "/observe/debugpage"},
		{"runtime/cache/internal/store", module + "/runtime/cache/internal/processor"},
		{"runtime/cache/internal/processor", module + "/runtime/cache"},
		{"runtime/wire", "k8s.io/client-go/rest"},
		{"apitest", "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"},
		{"generator/internal/load", module + "/generator/internal/render"},
		{"generator/internal/load", module + "/generator/internal/decide"},
		{"generator/internal/decide", module + "/generator/internal/load"},
		{"generator/internal/syntax", module + "/generator/internal/describe"},
		{"generator/internal/golist", module + "/generator/internal/describe"},
		{"generator/internal/describe", module + "/generator/internal/golist"},
		{"generator/internal/describe", module + "/generator/internal/typecheck"},
		{"generator/internal/typecheck", module + "/generator/internal/load"},
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
