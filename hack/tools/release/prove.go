package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	xmodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// prove shows that users can get each module. It serves the zip files of all modules from a folder as a
// proxy, requires each of them in a new module without replace directives, and builds a program there.
//
// The modules have a version that no release can have, so that the module cache never has other
// content under the version of a release. The rest of their content is that of the release commit.
func (r *release) prove(ctx context.Context, modules []module) error {
	version := proofVersion(r.version, r.now.Format("20060102t150405"))
	released, err := git(ctx, r.tree(), "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if _, err := git(ctx, r.tree(), "checkout", "--quiet", "HEAD^"); err != nil {
		return err
	}
	if _, err := r.commit(ctx, version); err != nil {
		return err
	}
	if err := writeProxy(r.work("proxy"), r.tree(), modules, version, r.now); err != nil {
		return err
	}
	if _, err := git(ctx, r.tree(), "checkout", "--quiet", released); err != nil {
		return err
	}
	r.step("each module has a zip with its license")
	u, err := newUser(ctx, r, modules[0].path, version)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if m.released {
			err = errors.Join(err, u.tryModule(ctx, m))
		}
	}
	return errors.Join(err, u.forget(modules))
}

// proofVersion returns a version before the given one that is no release and no pseudo-version.
func proofVersion(version, time string) string {
	separator := "-"
	if semver.Prerelease(version) != "" {
		separator = "."
	}
	return version + separator + "proof." + time
}

// user is someone who knows the modules only by their names and the proxy.
type user struct {
	*release
	root, version string
	modcache      string
	env           []string
}

func newUser(ctx context.Context, r *release, root, version string) (*user, error) {
	proxy, err := command(ctx, r.tree(), nil, "go", "env", "GOPROXY")
	if err != nil {
		return nil, err
	}
	modcache, err := command(ctx, r.tree(), nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	flags, err := command(ctx, r.tree(), nil, "go", "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	folder := filepath.ToSlash(r.work("proxy"))
	if !strings.HasPrefix(folder, "/") {
		folder = "/" + folder // a drive
	}
	local := (&url.URL{Scheme: "file", Path: folder}).String()
	return &user{r, root, version, modcache, []string{
		"GOPROXY=" + local + "," + proxy, "GOPRIVATE=", "GONOPROXY=", "GONOSUMDB=" + root + "," + root + "/*",
		"GOVCS=" + root + ":off", // a sibling that the proxy lacks is an error, and not a question to its repository
		"GOFLAGS=" + strings.TrimSpace(flags+" -modcacherw"), "GOWORK=off", "GOBIN=" + r.work("bin"),
	}}, nil
}

// tryModule requires a module in a new module, builds a program with all of its packages, and installs
// its commands.
func (u *user) tryModule(ctx context.Context, m module) error {
	dir := u.work(filepath.Join("users", "of-"+strings.ReplaceAll(m.dir, "/", "-")))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	run := func(name string, args ...string) (string, error) { return command(ctx, dir, u.env, name, args...) }
	for _, args := range [][]string{{"mod", "init", "example.com/user"}, {"get", m.path + "@" + u.version}} {
		if _, err := run("go", args...); err != nil {
			return err
		}
	}
	list, err := run("go", "list", "-find", "-f", "{{if .GoFiles}}{{.Name}} {{.ImportPath}}{{end}}", m.path+"/...")
	if err != nil {
		return err
	}
	program, packages, commands := sort(list)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", "user", "."}} {
		if _, err := run("go", args...); err != nil {
			return err
		}
	}
	if err := u.checkBuildList(run); err != nil {
		return err
	}
	for _, name := range commands {
		if _, err := run("go", "install", name+"@"+u.version); err != nil {
			return err
		}
		if path.Base(name) != "informer-gen" {
			continue
		}
		if err := u.tryGenerator(run, name); err != nil {
			return err
		}
	}
	u.step("go get %s: a program with its %d packages, and %d commands", m.path, packages, len(commands))
	return nil
}

// sort returns a program that imports all packages that users can import, their number, and the commands.
func sort(list string) (program string, packages int, commands []string) {
	imports := &strings.Builder{}
	for line := range strings.Lines(list) {
		name, importPath, ok := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !ok: // a package with only tests
		case name == "main":
			commands = append(commands, importPath)
		case !strings.Contains(importPath+"/", "/internal/"):
			packages++
			fmt.Fprintf(imports, "\t_ %q\n", importPath)
		}
	}
	return "package main\n\nimport (\n" + imports.String() + ")\n\nfunc main() {}\n", packages, commands
}

// checkBuildList returns an error if a program of a user has other versions of our modules.
func (u *user) checkBuildList(run func(string, ...string) (string, error)) error {
	list, err := run("go", "list", "-m", "-f", "{{.Path}} {{.Version}} {{.Replace}}", "all")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		name, _, _ := strings.Cut(line, " ")
		if (name == u.root || strings.HasPrefix(name, u.root+"/")) && line != name+" "+u.version+" <nil>" {
			return fmt.Errorf("a user gets %q, want version %s", line, u.version)
		}
	}
	return nil
}

// tryGenerator prints the version of the installed command, and that of the tool of the module.
func (u *user) tryGenerator(run func(string, ...string) (string, error), name string) error {
	if _, err := run("go", "get", "-tool", name+"@"+u.version); err != nil {
		return err
	}
	for _, args := range [][]string{{filepath.Join(u.work("bin"), "informer-gen"), "--version"}, {"go", "tool", "informer-gen", "--version"}} {
		line, err := run(args[0], args[1:]...)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(line, "informer-gen "+u.version+" (") {
			return fmt.Errorf("%q prints %q, want the version %s", args, line, u.version)
		}
	}
	u.step("go install and go get -tool: informer-gen --version prints it")
	return nil
}

// forget deletes the version of the proof from the module cache.
func (u *user) forget(modules []module) error {
	var errs []error
	for _, m := range modules {
		escaped, err := xmodule.EscapePath(m.path)
		if err != nil || !m.released {
			continue
		}
		errs = append(errs, removeAll(filepath.Join(u.modcache, filepath.FromSlash(escaped)+"@"+u.version)))
		files, err := filepath.Glob(filepath.Join(u.modcache, "cache", "download", filepath.FromSlash(escaped), "@v", u.version+".*"))
		errs = append(errs, err)
		for _, file := range files {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}
