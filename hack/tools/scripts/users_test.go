// Package release tests what hack/release.sh releases, and the script.
package scripts

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	tree    = flag.String("tree", "", "a `folder` with a clone that has the tags of a version; the arguments are the folders of its modules")
	version = flag.String("version", "", "the version; it must not be that of a release, because the module cache keeps it")
)

// TestUsers gets each module from its tag, without replace directives, as a user does: it builds a program with all packages
// that users can import, and installs all commands. hack/release.sh runs it in a clone with the tags.
func TestUsers(t *testing.T) {
	if *tree == "" {
		t.Skip("only hack/release.sh makes the tags")
	}
	root := output(t, *tree, nil, "go", "list", "-m")
	modules := map[string]string{} // the folders of the import paths
	for _, dir := range flag.Args() {
		modules[path.Join(root, dir)] = dir
	}

	// The go command makes a zip file of each tag, in a module cache of its own, which has the form of a proxy. The clone
	// takes the place of the repository on GitHub.
	zips, bin, cache := t.TempDir(), t.TempDir(), output(t, *tree, nil, "go", "env", "GOMODCACHE")
	flags := "GOFLAGS=" + output(t, *tree, nil, "go", "env", "GOFLAGS") + " -modcacherw"
	direct := []string{flags, "GOWORK=off", "GOMODCACHE=" + zips, "GOPRIVATE=" + root,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + *tree + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + root}
	for module := range modules {
		output(t, zips, direct, "go", "mod", "download", module+"@"+*version)
	}
	env := []string{flags, "GOWORK=off", "GOBIN=" + bin, "GOPRIVATE=", "GONOPROXY=", "GONOSUMDB=" + root + "," + root + "/*", "GOVCS=" + root + ":off",
		"GOPROXY=file://" + filepath.Join(zips, "cache/download") + "," + output(t, *tree, nil, "go", "env", "GOPROXY")}
	defer output(t, cache, nil, "find", path.Dir(root), "cache/download/"+path.Dir(root), "-name", "*"+*version+"*", "-prune", "-exec", "rm", "-rf", "{}", "+")
	for module, dir := range modules {
		t.Run(dir, func(t *testing.T) {
			user := t.TempDir()
			run := func(args ...string) string { t.Helper(); return output(t, user, env, args...) }
			run("go", "mod", "init", "example.com/user")
			run("go", "get", module+"@"+*version)
			program, commands := programOf(run("go", "list", "-find", "-f", "{{if .GoFiles}}{{.Name}} {{.ImportPath}}{{end}}", module+"/..."))
			if err := os.WriteFile(filepath.Join(user, "main.go"), []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			run("go", "mod", "tidy")
			run("go", "build", "-o", "user", ".")
			for line := range strings.Lines(run("go", "list", "-m", "all")) {
				if fields := strings.Fields(line); strings.HasPrefix(fields[0]+"/", root+"/") && !slices.Equal(fields[1:], []string{*version}) {
					t.Errorf("a user gets %q, want version %s", fields, *version)
				}
			}
			if _, err := os.Stat(filepath.Join(run("go", "list", "-m", "-f", "{{.Dir}}", module), "LICENSE")); err != nil {
				t.Errorf("pkg.go.dev would show no documentation: %v; add LICENSE to the root folder", err)
			}
			for _, command := range commands {
				run("go", "install", command+"@"+*version)
				if path.Base(command) == "informer-gen" {
					run("go", "get", "-tool", command+"@"+*version)
					for _, printed := range []string{run(filepath.Join(bin, "informer-gen"), "--version"), run("go", "tool", "informer-gen", "--version")} {
						if !strings.HasPrefix(printed, "informer-gen "+*version+" (") {
							t.Errorf("informer-gen --version prints %q, want the version %s", printed, *version)
						}
					}
				}
			}
		})
	}
}

// programOf returns a program that imports all packages that users can import, and the commands. A line of the list has
// the name of a package and its import path.
func programOf(list string) (program string, commands []string) {
	program = "package main\n\n"
	for line := range strings.Lines(list) {
		name, importPath, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "main":
			commands = append(commands, importPath)
		case !strings.Contains(importPath+"/", "/internal/"):
			program += fmt.Sprintf("import _ %q\n", importPath)
		}
	}
	return program + "\nfunc main() {}\n", commands
}

// output runs a command, and returns its output without the last newline.
func output(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PWD="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q in %s: %v\n%s%s", args, dir, err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
