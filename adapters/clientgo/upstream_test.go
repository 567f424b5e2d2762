package clientgo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/adapters/clientgo/internal/upstream"
)

var (
	// upstreamFiles are the files of client-go's tools/cache whose tests run over the adapter.
	upstreamFiles = []string{"shared_informer_test.go", "typed_test.go", "listers_test.go", "index_test.go"}
	// upstreamHelpers are the files that these need. They do not use the package.
	upstreamHelpers = []string{"util_test.go", "main_test.go", "cache_test.go"}
)

// leftOut has the other files with tests in tools/cache, with the reason.
var leftOut = map[string]string{
	"controller_test.go":                          "Controller, NewInformer and NewTransformingInformer are made of client-go's queue and store; the adapter replaces the shared informer",
	"processor_listener_test.go":                  "benchmarks of a type of the package",
	"controller_bench_test.go":                    "as controller_test.go",
	"shared_informer_bench_test.go":               "benchmarks of fields of client-go's informer",
	"store_test.go":                               "its objects have no metadata, and the test has a key function for them; index_test.go has the Store of an informer",
	"thread_safe_store_test.go":                   "a type of the package, below the Indexer",
	"mutation_detector_test.go":                   "replaces a field of client-go's informer; see cache.WithMutationDetector",
	"reflector_test.go":                           "the Reflector of client-go; the runtime has its own, and test/conformance plays both with one server",
	"reflector_watchlist_test.go":                 "as reflector_test.go",
	"reflector_data_consistency_detector_test.go": "as reflector_test.go",
	"retry_with_deadline_test.go":                 "a function that only the Reflector of client-go calls",
	"delta_fifo_test.go":                          "client-go's queue; the runtime has its own",
	"fifo_test.go":                                "as delta_fifo_test.go",
	"the_real_fifo_test.go":                       "as delta_fifo_test.go",
	"heap_test.go":                                "a queue that no informer uses",
	"undelta_store_test.go":                       "a store that no informer uses",
	"expiration_cache_test.go":                    "a store that no informer uses",
	"mutation_cache_test.go":                      "a cache above a Store that client-go itself provides",
	"event_handler_name_test.go":                  "an internal function; TestNamesOfCheckers has what the adapter makes of it",
	"identity_test.go":                            "the names of client-go's metrics, which the adapter does not have",
	"listwatch_test.go":                           "a function for clients",
	"object-names_test.go":                        "functions that need no informer",
	"wait_test.go":                                "functions that need no informer",
}

// skipped has the tests of client-go that do not pass over the adapter, with the row of
// docs/design/differences.md that explains why.
var skipped = map[string]string{
	"TestResyncCheckPeriod":         "resync-not-a-multiple", // reads the periods in client-go's fields
	"TestSharedInformerTransformer": "transform-renames",
}

var rules = upstream.Rules{
	Package:   "upstream",
	Import:    "k8s.io/client-go/tools/cache",
	Rename:    map[string]string{"NewSharedInformer": "newSharedInformer", "NewIndexer": "newIndexer", "NewStore": "newStore"},
	Construct: map[string]string{"typedIndexer": "newTypedIndexer", "typedResourceEventHandler": "newTypedHandler"},
	Remove:    []string{"eventHandlerCount", "isStarted", "isRegistered"},
	Internal:  map[string]string{"TestResyncCheckPeriod": "resyncCheckPeriod"},
}

// TestUpstream runs the tests of client-go's informers, of the newest version, over
// the adapter. It takes about a minute, and more the first time, to compile with -race.
func TestUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles client-go's tests")
	}
	dir, tests, internal := writeUpstream(t)
	var differ []string
	for name := range skipped {
		differ = append(differ, name)
	}
	pattern := "^(" + strings.Join(differ, "|") + ")$"
	results, log, err := runUpstream(t, dir, "-skip="+pattern)
	if err != nil { // also because of goroutines that are left over
		t.Errorf("client-go's tests: %v\n%s", err, logOf(log, ""))
	}
	others, othersLog, _ := runUpstream(t, dir, "-run="+pattern)
	maps.Copy(results, others)
	maps.Copy(log, othersLog)
	report := upstream.Report{Tests: tests, Internal: internal, Results: results, Skipped: skipped, Reasons: documentedDifferences(t)}
	for name, problem := range report.Problems() {
		t.Errorf("%s of client-go: %v\n%s", name, problem, logOf(log, name))
	}
	t.Logf("%d tests of client-go ran", len(results))
}

// runUpstream runs tests in dir. It returns their results and their lines, by test, and an error
// if one of them, or all together, failed.
func runUpstream(t *testing.T, dir, which string) (results, log map[string]string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "test", "-json", "-race", "-count=1", "-vet=off", which, ".")
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
	output, err := command.Output()
	results, log = resultsOf(t, output)
	return results, log, err
}

// writeUpstream writes a module with client-go's tests. It returns the names of those that can be
// compiled, and of those that use internals.
func writeUpstream(t *testing.T) (dir string, tests, internal []string) {
	t.Helper()
	dir = t.TempDir()
	const version = "v0.37.2" // the newest one, as in the module test
	clientgo := download(t, "k8s.io/client-go@"+version)
	used := slices.Concat(upstreamHelpers, upstreamFiles)
	all, err := filepath.Glob(filepath.Join(clientgo, "tools", "cache", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if name := filepath.Base(file); slices.Contains(used, name) == (leftOut[name] != "") {
			t.Errorf("client-go's %s either runs, or is left out for a reason", name)
		}
	}
	if len(all) != len(used)+len(leftOut) {
		t.Errorf("client-go has %d files with tests; %d run, and %d are left out", len(all), len(used), len(leftOut))
	}
	for _, name := range used {
		rules := rules
		if slices.Contains(upstreamHelpers, name) {
			rules = upstream.Rules{Package: rules.Package}
		}
		source, err := os.ReadFile(filepath.Join(clientgo, "tools", "cache", name))
		if err != nil {
			t.Fatal(err)
		}
		adapted, err := upstream.Adapt(name, source, rules)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), adapted.Source)
		tests, internal = append(tests, adapted.Tests...), append(internal, adapted.Internal...)
	}
	if len(tests) < 30 {
		t.Errorf("only these tests were found: %q", tests)
	}
	write(t, filepath.Join(dir, "shim_test.go"), read(t, "testdata/upstream/shim_test.go"))
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/typedinformers/informer-gen"
	module := fmt.Sprintf("module upstream.test\n\ngo 1.26.0\n\nrequire (\n\t%s v0.0.0\n\t%s/adapters/clientgo v0.0.0\n\tgo.uber.org/goleak v1.3.0\n\tk8s.io/client-go %s\n)\n", path, path, version)
	module += fmt.Sprintf("\nreplace (\n\t%s => %s\n\t%s/adapters/clientgo => %s\n)\n", path, quoted(filepath.Dir(filepath.Dir(here))), path, quoted(here))
	write(t, filepath.Join(dir, "go.mod"), []byte(module))
	// With client-go's own sums, those of the libraries of its tests need not be looked up.
	write(t, filepath.Join(dir, "go.sum"), append(read(t, "../../test/go.sum"), read(t, filepath.Join(clientgo, "go.sum"))...))
	return dir, tests, internal
}

// quoted returns a path for a go.mod file.
func quoted(path string) string {
	text, _ := json.Marshal(filepath.ToSlash(path))
	return string(text)
}

// download returns the folder of a module.
func download(t *testing.T, module string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	command.Env = append(os.Environ(), "GOFLAGS=")
	output, err := command.Output()
	var downloaded struct{ Dir, Error string }
	if json.Unmarshal(output, &downloaded) != nil || err != nil {
		t.Fatalf("download %s: %v\n%s", module, err, output)
	}
	return downloaded.Dir
}

// resultsOf returns what became of each test, and the lines that they wrote, by test.
func resultsOf(t *testing.T, output []byte) (results map[string]string, log map[string]string) {
	t.Helper()
	results, log = map[string]string{}, map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		var event struct {
			Action, Test, Output string
			Elapsed              float64 // seconds
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("go test printed %q: %v", lines.Text(), err)
		}
		top, _, isSubtest := strings.Cut(event.Test, "/")
		switch event.Action {
		case "pass", "fail", "skip":
			if event.Test == "" {
				t.Logf("client-go's tests: %s after %.0f s", event.Action, event.Elapsed)
			} else if !isSubtest {
				results[event.Test] = event.Action
			}
		case "output", "build-output":
			log[top] += event.Output
		}
	}
	return results, log
}

// logOf returns the lines of a test, or, if there are none, those of the program.
func logOf(log map[string]string, name string) string {
	text := log[name]
	if text == "" {
		text = log[""]
	}
	return text[max(0, len(text)-10_000):]
}

// documentedDifferences returns the names of the rows of differences.md.
func documentedDifferences(t *testing.T) (rows []string) {
	t.Helper()
	for _, row := range regexp.MustCompile("(?m)^\\|.*\\| `([a-z-]+)` \\|$").FindAllSubmatch(read(t, "../../docs/design/differences.md"), -1) {
		rows = append(rows, string(row[1]))
	}
	return rows
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
