package repository_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow has the parts of a GitHub workflow that the tests read.
type workflow struct {
	Permissions permissions
	Jobs        map[string]job
}

type job struct {
	Permissions permissions
	Needs       any
	Steps       []struct {
		Uses, Run string
		With      map[string]any
	}
}

// permissions are the rights of a token, by name. A text such as write-all is the permission "".
type permissions map[string]string

func (p *permissions) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*p = permissions{"": node.Value}
		return nil
	}
	return node.Decode((*map[string]string)(p))
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(".github/workflows/*.y*ml")
	if err != nil || len(files) < 3 {
		t.Fatalf("the workflows are %q, %v", files, err)
	}
	found := map[string]workflow{}
	for _, file := range files {
		var w workflow
		readYAML(t, file, &w)
		found[filepath.Base(file)] = w
	}
	return found
}

// TestWorkflowsArePinned checks that no workflow uses an action, or a Go version, that another person can replace.
func TestWorkflowsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w-]+/[\w./-]+@[0-9a-f]{40}$`)
	for name, w := range workflows(t) {
		for id, job := range w.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: job %s uses %s; pin it to its commit SHA", name, id, step.Uses)
				}
				if strings.HasPrefix(step.Uses, "actions/setup-go@") && (step.With["go-version-file"] != ".go-version" || step.With["go-version"] != nil) {
					t.Errorf("%s: job %s has the Go version %v; use go-version-file: .go-version", name, id, step.With["go-version"])
				}
			}
		}
	}
	content, err := os.ReadFile(".go-version")
	if err != nil || !regexp.MustCompile(`^1\.\d+\.\d+\n$`).Match(content) {
		t.Errorf(".go-version has %q (%v), want a version with three numbers", content, err)
	}
	release, err := os.ReadFile(".github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, installed := range regexp.MustCompile(`go (?:install|run) (\S+)`).FindAllStringSubmatch(string(release), -1) {
		if !regexp.MustCompile(`@v\d+\.\d+\.\d+$`).MatchString(installed[1]) {
			t.Errorf("the release installs %s; name its version", installed[1])
		}
	}
}

// TestCommandOfCIIsThatOfGitHub compares the make targets of .ci/run with those of the workflow ci.
func TestCommandOfCIIsThatOfGitHub(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Target []string } }
		}
	}
	readYAML(t, ".github/workflows/ci.yml", &config)
	targets := regexp.MustCompile(`(?m)^make (\S+)$`).FindAllStringSubmatch(string(script), -1)
	if len(targets) == 0 {
		t.Error(".ci/run calls no make target")
	}
	for _, target := range targets {
		if !slices.Contains(config.Jobs["make"].Strategy.Matrix.Target, target[1]) {
			t.Errorf(".ci/run calls make %s, and the workflow ci does not", target[1])
		}
	}
}

// TestWorkflowPermissions checks that a job with a right to write runs no code of the repository, and that each job
// of the release has only the rights that it needs.
func TestWorkflowPermissions(t *testing.T) {
	all := workflows(t)
	for name, w := range all {
		if w.Permissions == nil {
			t.Errorf("%s sets no permissions, so its jobs have those of the repository", name)
		}
		for id, job := range w.Jobs {
			rights := job.Permissions
			if rights == nil {
				rights = w.Permissions
			}
			writes := false
			for _, right := range rights {
				writes = writes || right != "read" && right != "none"
			}
			for _, step := range job.Steps {
				runs := regexp.MustCompile(`\b(make|go|hack/|\./)`).MatchString(step.Run) || strings.HasPrefix(step.Uses, "actions/checkout@") || strings.HasPrefix(step.Uses, "actions/setup-go@")
				if writes && runs {
					t.Errorf("%s: job %s may write (%v), and compiles or runs %s%s; move one of them to another job", name, id, rights, step.Uses, step.Run)
				}
			}
		}
	}
	release := all["release.yml"]
	want := map[string]permissions{
		"build":      {"contents": "read"},
		"provenance": {"id-token": "write", "attestations": "write"},
		"sbom":       {"id-token": "write", "attestations": "write"},
		"publish":    {"contents": "write"},
	}
	for id, job := range release.Jobs {
		if len(job.Permissions) != len(want[id]) || len(want[id]) == 0 {
			t.Errorf("job %s of the release has the permissions %v, want %v", id, job.Permissions, want[id])
		}
		for name, right := range want[id] {
			if job.Permissions[name] != right {
				t.Errorf("job %s of the release has %s: %q, want %q", id, name, job.Permissions[name], right)
			}
		}
	}
	if len(release.Permissions) != 0 || len(release.Jobs) != len(want) {
		t.Errorf("the release has the permissions %v and %d jobs, want none and %d", release.Permissions, len(release.Jobs), len(want))
	}
	needs, _ := release.Jobs["publish"].Needs.([]any)
	for _, id := range []string{"build", "provenance", "sbom"} {
		if !slices.Contains(needs, any(id)) {
			t.Errorf("publish does not wait for %s", id)
		}
	}
}

// TestReleaseIsAttested checks that the release attests the archives that goreleaser writes, and
// that goreleaser publishes nothing.
func TestReleaseIsAttested(t *testing.T) {
	var w struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Archive []string } }
		}
	}
	readYAML(t, ".github/workflows/release.yml", &w)
	var config struct {
		Builds  []struct{ Goos, Goarch []string }
		Release struct{ Disable bool }
	}
	readYAML(t, ".goreleaser.yaml", &config)
	var want []string
	for _, system := range config.Builds[0].Goos {
		suffix := ".tar.gz"
		if system == "windows" {
			suffix = ".zip"
		}
		for _, arch := range config.Builds[0].Goarch {
			want = append(want, system+"_"+arch+suffix)
		}
	}
	got := w.Jobs["sbom"].Strategy.Matrix.Archive
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the SBOMs of %q are attested, want those of %q", got, want)
	}
	if !config.Release.Disable {
		t.Error("goreleaser writes a release, so the job that compiles needs the right to write")
	}
}

// TestDependabotHasAllModules checks that each module of the Makefile is updated, those that users require only for
// vulnerabilities.
func TestDependabotHasAllModules(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directory   string
			Directories []string
			Limit       *int `yaml:"open-pull-requests-limit"`
		}
	}
	readYAML(t, ".github/dependabot.yml", &config)
	var actions bool
	var all, required []string
	for _, update := range config.Updates {
		actions = actions || update.Ecosystem == "github-actions" && update.Directory == "/"
		if update.Ecosystem != "gomod" {
			continue
		}
		for _, dir := range update.Directories {
			module := strings.TrimPrefix(dir, "/")
			if module == "" {
				module = "."
			}
			all = append(all, module)
			if update.Limit != nil && *update.Limit == 0 {
				required = append(required, module)
			}
			if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
				t.Errorf("dependabot.yml: %s is not a module: %v", dir, err)
			}
		}
	}
	if !actions {
		t.Error("dependabot.yml does not update actions")
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	modules := func(variable string) []string {
		line := regexp.MustCompile(`(?m)^` + variable + ` := (.*)$`).FindStringSubmatch(string(makefile))
		if line == nil {
			t.Fatalf("the Makefile has no %s", variable)
		}
		return strings.Fields(line[1])
	}
	for _, module := range append(modules("MODULES"), "test/kube") {
		if !slices.Contains(all, module) {
			t.Errorf("dependabot.yml lacks the module %s", module)
		}
	}
	users := modules("USER_MODULES")
	slices.Sort(users)
	slices.Sort(required)
	if !slices.Equal(users, required) {
		t.Errorf("dependabot.yml raises only for vulnerabilities what %q require, want %q", required, users)
	}
}
