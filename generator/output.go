package generator

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/cycle"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// owned are the files in the folders of API packages that belong to the generator, and what a user can do
// instead of having them.
var owned = map[string]string{
	model.DeepCopyFile: "remove --deepcopy",
	model.RegisterFile: "remove --register",
}

// checkOwnPackages returns an error if a flag has no effect because all packages are dependencies.
func checkOwnPackages(run *input.Run, loaded *load.Loaded) error {
	option := "DeepCopy"
	if run.Register {
		option = "Register"
	}
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	if !run.Register && !run.DeepCopy || slices.ContainsFunc(loaded.Packages, isOwn) {
		return nil
	}
	fix := "remove it"
	for _, nested := range golist.Nested(run.Dir) {
		if slices.ContainsFunc(loaded.Packages, func(pkg *input.Package) bool {
			return strings.HasPrefix(pkg.Dir, filepath.Join(run.Dir, nested)+string(filepath.Separator))
		}) {
			fix = "run informer-gen in " + nested + ", or remove it"
		}
	}
	if len(loaded.TestsOnly) > 0 {
		return optionError(option, "{"+option+"} writes to packages of the main module with Go files, and %s has only _test.go files; name the package with the types, or remove {"+option+"}", loaded.TestsOnly[0])
	}
	return optionError(option, "{"+option+"} writes to packages of the main module, and this run names only packages of other modules; %s", fix)
}

// isInModule reports whether the go command looks for packages in the module that the generated code is in. If not,
// that module may require what the go command does not find.
func isInModule(run *input.Run) bool {
	of, err := findGoMod(run.OutputDir)
	in, inErr := findGoMod(run.Dir)
	return err == nil && inErr == nil && of == in
}

// treeAbove returns the output folder of a run in a folder above the one of this run, in the same module and with
// the same relative OutputDir, or "".
func treeAbove(run *input.Run) string {
	way, err := filepath.Rel(run.Dir, run.OutputDir)
	if err != nil || !filepath.IsLocal(way) {
		return ""
	}
	for at := run.Dir; !exists(at, "go.mod") && at != filepath.Dir(at); {
		at = filepath.Dir(at)
		tree := filepath.Join(at, way)
		if content, err := regular.ReadFile(filepath.Join(tree, model.FactoryFile)); err == nil && bytes.Contains(content, []byte(model.Header)) {
			return tree
		}
	}
	return ""
}

// checkCycles returns an error for each import cycle among API packages, packages that they import, and generated ones.
func checkCycles(run *input.Run, set *model.Set, packages []*input.Package, files []render.File) error {
	in := cycle.Input{Modules: map[string]string{}, Generated: map[string][][]byte{}, BuildTags: run.BuildTags}
	for _, pkg := range packages {
		if len(pkg.Within) > 0 {
			in.Modules[pkg.Module] = pkg.Within[len(pkg.Within)-1]
		}
	}
	for _, p := range set.Packages() {
		in.Packages = append(in.Packages, p.Path)
	}
	for _, f := range files {
		if f.Dir == "" {
			of := path.Join(run.Layout.OutputPackage, path.Dir(f.Path))
			in.Generated[of] = append(in.Generated[of], f.Content)
		}
	}
	var mistakes model.Errors
	cycle.Find(in, &mistakes)
	return mistakes.Join()
}

// outputs returns the files by folder: first those of the output folder, then those of each API package. A
// package without a file is among them if it may have stale ones.
func outputs(run *input.Run, packages []*input.Package, files []render.File) []write.Output {
	byDir := map[string]map[string][]byte{}
	for _, f := range files {
		if byDir[f.Dir] == nil {
			byDir[f.Dir] = map[string][]byte{}
		}
		byDir[f.Dir][f.Path] = f.Content
	}
	all := []write.Output{{
		Dir: run.OutputDir, DisplayDir: displayDir(run, run.OutputDir), Roots: model.Roots(run.ApplyDir), Header: model.Header, Files: byDir[""],
	}}
	for _, pkg := range packages {
		own := byDir[pkg.Dir]
		if len(own)+len(pkg.Generated) == 0 {
			continue
		}
		out := write.Output{Dir: pkg.Dir, DisplayDir: displayDir(run, pkg.Dir), Within: pkg.Within, Owned: map[string]string{}, Header: model.Header, Files: own}
		for _, name := range slices.Concat(pkg.Generated, slices.Collect(maps.Keys(own))) {
			out.Owned[name] = owned[name]
		}
		all = append(all, out)
	}
	return all
}

// displayDir returns a folder as printed in messages: relative to the folder in which
// patterns are resolved or, if it is not below that, to the root of its module.
func displayDir(run *input.Run, of string) string {
	from := []string{run.Dir}
	if goMod, err := findGoMod(of); err == nil && goMod != "" {
		from = append(from, filepath.Dir(goMod))
	}
	for _, dir := range from {
		if way, err := filepath.Rel(dir, of); err == nil && filepath.IsLocal(way) {
			return filepath.ToSlash(way)
		}
	}
	return ""
}
