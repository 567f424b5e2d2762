package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/typedinformers/informer-gen/internal/terminal"
)

const (
	product  = "github.com/typedinformers/informer-gen"
	toolPath = product + "/cmd/informer-gen"
	// lowestKubernetes is what generated code needs.
	lowestKubernetes = "v0.34.0"
	// lowestGo is the version in go.mod of informer-gen.
	lowestGo = "1.25.0"
)

// parts are the modules of informer-gen, as docs/install.md has them.
var parts = []string{"", "/adapters/clientgo", "/adapters/controllerruntime", "/apiextensions", "/kubernetes", "/observe/metrics", "/shard", "/testserver", "/vet"}

// goMod is a changed go.mod.
type goMod struct {
	module  *module
	text    []byte
	changes []string
	// get are the arguments of go get, which completes the requirements; empty for none.
	get []string
	// raises is set if get raises modules of Kubernetes, without which informer-gen generates nothing.
	raises bool
	// isLatest is set if get asks for a release that go.mod does not name.
	isLatest bool
}

// decideGoMod returns the go.mod of a module that imports a part of informer-gen, or that only replaces another module which does. An
// empty part is for a module that needs no adapter.
func decideGoMod(p *project, m *module, part string, isImporter, isTool bool, o Options) (goMod, error) {
	change := goMod{module: m}
	file, err := modfile.Parse(p.relative(filepath.Join(m.dir, "go.mod")), m.text, nil)
	if err != nil {
		return change, err
	}
	if isTool {
		for _, name := range generators {
			if tool := "k8s.io/code-generator/cmd/" + name; slices.ContainsFunc(file.Tool, func(t *modfile.Tool) bool { return t.Path == tool }) {
				change.add("drop the tool %s", tool)
				err = firstError(err, file.DropTool(tool))
			}
		}
		if !slices.ContainsFunc(file.Tool, func(t *modfile.Tool) bool { return t.Path == toolPath }) {
			change.add("add the tool %s", toolPath)
			err = firstError(err, file.AddTool(toolPath))
		}
	}
	version := "latest"
	for _, require := range file.Require {
		if require.Mod.Path == product {
			version = require.Mod.Version
		}
	}
	if clone := cloneOf(p, m, o); clone != "" {
		version = "v0.0.0"
		for _, part := range parts {
			err = firstError(err, file.AddReplace(product+part, "", clone+part, ""))
		}
		change.add("replace the modules of %s by %s", product, clone)
	}
	change.isLatest = version == "latest"
	if isImporter {
		if file.Go != nil && semver.Compare("v"+file.Go.Version, "v"+lowestGo) < 0 {
			change.add("go %s becomes %s, which informer-gen needs; raise the version of images and of CI too", file.Go.Version, lowestGo)
		}
		change.add("require %s%s %s", product, part, version)
		change.get = append(change.get, product+part+"@"+version)
		if isTool && part != "" {
			change.get = append(change.get, product+"@"+version)
		}
		old, kubernetesErr := oldKubernetes(file)
		err = firstError(err, kubernetesErr)
		if isTool && !requires(file, "k8s.io/client-go") {
			old = append(old, "k8s.io/client-go/kubernetes")
		}
		change.raises = len(old) > 0
		for _, name := range old {
			need := "which generated code needs"
			if isNextToClient(name) {
				need = "because the others have it"
			}
			change.add("require %s %s, %s", name, lowestKubernetes, need)
			change.get = append(change.get, name+"@"+lowestKubernetes)
		}
	}
	if err != nil {
		return change, err
	}
	file.Cleanup()
	change.text, err = file.Format()
	return change, err
}

func (c *goMod) add(format string, args ...any) {
	c.changes = append(c.changes, fmt.Sprintf(format, args...))
}

// oldKubernetes returns the modules of Kubernetes that a module requires in a version that is too low. A replacement with such a version is
// an error, because a requirement would not raise it.
func oldKubernetes(file *modfile.File) (old []string, err error) {
	isOld := func(version string) bool { return semver.Compare(version, lowestKubernetes) < 0 }
	for _, replace := range file.Replace {
		if isClient(replace.Old.Path) && replace.New.Version != "" && isOld(replace.New.Version) {
			return nil, fmt.Errorf("%s:%d: %s is replaced by %s, and generated code needs %s; raise the version in all replacements of modules of Kubernetes",
				file.Syntax.Name, replace.Syntax.Start.Line, replace.Old.Path, replace.New.Version, lowestKubernetes)
		}
	}
	for _, require := range file.Require {
		if (isClient(require.Mod.Path) || isNextToClient(require.Mod.Path)) && isOld(require.Mod.Version) {
			old = append(old, require.Mod.Path)
		}
	}
	return old, nil
}

func requires(file *modfile.File, path string) bool {
	return slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
}

// goFlags are flags of the go command, and the temporary folder of a file that they name. Both may be empty.
type goFlags struct{ text, dir string }

// inTemporary returns flags with which the go command uses this go.mod before it is written, if the present one has versions of
// Kubernetes that are too old. The caller removes the folder.
func (c *goMod) inTemporary(ctx context.Context) (flags goFlags, err error) {
	if !c.raises {
		return flags, nil
	}
	if flags.dir, err = os.MkdirTemp("", "informer-gen-"); err != nil {
		return flags, err
	}
	file := filepath.Join(flags.dir, "go.mod")
	flags.text = "-mod=mod -modfile=" + file
	sums, err := os.ReadFile(filepath.Join(c.module.dir, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(flags.dir, "go.sum"), sums, 0o600)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err = firstError(err, os.WriteFile(file, c.text, 0o600)); err == nil {
		command := newCommand(ctx, c.module.dir, flags.text, append([]string{"go", "get"}, c.get...)...)
		if output, failed := command.CombinedOutput(); failed != nil {
			err = fmt.Errorf("go get %s: %w\n%s", terminal.Quote(c.get...), cmp.Or(ctx.Err(), failed), output)
		}
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(flags.dir))
	}
	return flags, err
}

func isClient(path string) bool {
	return path == "k8s.io/client-go" || path == "k8s.io/apimachinery" || path == "k8s.io/api"
}

// isNextToClient reports whether a module of Kubernetes compiles only with the clients of its own version.
func isNextToClient(path string) bool {
	return path == "k8s.io/code-generator" || path == "k8s.io/apiextensions-apiserver" || path == "k8s.io/apiserver" || path == "k8s.io/component-base"
}

// cloneOf returns the folder of a clone of informer-gen as go.mod has it: that of --clone, or else of a replacement that exists.
func cloneOf(p *project, m *module, o Options) string {
	clone := o.Clone
	if clone == "" {
		for _, other := range p.modules {
			for _, replace := range other.file.Replace {
				if replace.Old.Path == product && replace.New.Version == "" {
					clone = replace.New.Path
					if !filepath.IsAbs(clone) {
						clone = filepath.Join(other.dir, filepath.FromSlash(clone))
						return localPath(relative(m.dir, clone))
					}
				}
			}
		}
		return filepath.ToSlash(clone)
	}
	if filepath.IsAbs(clone) {
		return filepath.ToSlash(clone)
	}
	return localPath(relative(m.dir, filepath.Join(o.Dir, clone)))
}

// localPath returns a relative path in the form that go.mod wants.
func localPath(path string) string {
	if strings.HasPrefix(path, "../") {
		return path
	}
	return "./" + path
}

// replacesOne reports whether a module has a replacement of another one by one of the folders.
func (m *module) replacesOne(dirs []string) bool {
	return slices.ContainsFunc(m.file.Replace, func(replace *modfile.Replace) bool {
		return replace.New.Version == "" && slices.Contains(dirs, filepath.Join(m.dir, filepath.FromSlash(replace.New.Path)))
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
