package informergen_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFuzzTargetsAreListed compares the fuzz tests of the repository with those that OSS-Fuzz builds. Its
// compile_native_go_fuzzer_v2 searches a folder and those below it for the name of a function, and builds nothing
// if the name also begins that of another one.
func TestFuzzTargetsAreListed(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard", "*_test.go", "go.mod", "*/go.mod").Output()
	if err != nil {
		t.Skipf("git does not list the tests: %v", err)
	}
	const list = "hack/oss-fuzz/targets.txt"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(strings.TrimSpace(string(text)), "\n")
	var modules, targets []string
	for _, name := range strings.Fields(string(output)) {
		if path.Base(name) == "go.mod" {
			modules = append(modules, path.Dir(name))
		}
	}
	declaration := regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9_]*)\(`)
	for _, name := range strings.Fields(string(output)) {
		content, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, match := range declaration.FindAllSubmatch(content, -1) {
			module, pkg := path.Dir(name), "."
			for !slices.Contains(modules, module) {
				module, pkg = path.Dir(module), path.Join(path.Base(module), pkg)
			}
			if pkg != "." {
				pkg = "./" + pkg
			}
			targets = append(targets, module+" "+pkg+" "+string(match[1]))
		}
	}
	if len(targets) < 40 {
		t.Fatalf("only %d fuzz targets are found", len(targets))
	}
	for _, target := range targets {
		if !slices.Contains(listed, target) {
			t.Errorf("%s lacks the line %q; add it", list, target)
		}
	}
	for _, target := range listed {
		if !slices.Contains(targets, target) {
			t.Errorf("%s has the line %q, but there is no such test; remove it", list, target)
		}
	}
	for _, target := range listed {
		for _, other := range listed {
			if folder, longer := folderOf(target), folderOf(other); target != other && strings.HasPrefix(longer+"/", folder+"/") &&
				strings.HasPrefix(functionOf(other), functionOf(target)) {
				t.Errorf("%s: the name %s begins that of %q, so OSS-Fuzz would not build it; rename one of them", list, functionOf(target), other)
			}
		}
	}
}

// folderOf returns the folder of the package in a line of the list.
func folderOf(target string) string {
	fields := strings.Fields(target)
	return path.Join(fields[0], fields[1])
}

// functionOf returns the name of the fuzz test in a line of the list.
func functionOf(target string) string { return target[strings.LastIndex(target, " ")+1:] }
