package generator

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/cycle"
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
func (s *setup) checkOwnPackages(packages []*input.Package, testsOnly []string) error {
	option := "DeepCopy"
	if s.register {
		option = "Register"
	}
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	if !s.register && !s.deepCopy || slices.ContainsFunc(packages, isOwn) {
		return nil
	}
	fix := "remove it"
	for _, nested := range load.Nested(s.load.Dir) {
		if slices.ContainsFunc(packages, func(pkg *input.Package) bool {
			return strings.HasPrefix(pkg.Dir, filepath.Join(s.load.Dir, nested)+string(filepath.Separator))
		}) {
			fix = "run informer-gen in " + nested + ", or remove it"
		}
	}
	if len(testsOnly) > 0 {
		return optionError(option, "{"+option+"} writes to packages of the main module with Go files, and %s has only _test.go files; name the package with the types, or remove {"+option+"}", testsOnly[0])
	}
	return optionError(option, "{"+option+"} writes to packages of the main module, and this run names only packages of other modules; %s", fix)
}

// emitted returns the import paths of the folders that hold all emitted files.
func (s *setup) emitted() []string {
	roots := model.Roots(s.applyName)
	for i, root := range roots {
		roots[i] = path.Join(s.outputPackage, root)
	}
	return roots
}

// isInModule reports whether the go command looks for packages in the module that the generated code is in. If not,
// that module may require what the go command does not find.
func (s *setup) isInModule() bool {
	of, err := findGoMod(s.outputDir)
	in, inErr := findGoMod(s.load.Dir)
	return err == nil && inErr == nil && of == in
}

// treeAbove returns the output folder of a run in a folder above the one of this run, in the same module and with
// the same relative OutputDir, or "".
func (s *setup) treeAbove() string {
	way, err := filepath.Rel(s.load.Dir, s.outputDir)
	if err != nil || !filepath.IsLocal(way) {
		return ""
	}
	for at := s.load.Dir; !exists(at, "go.mod") && at != filepath.Dir(at); {
		at = filepath.Dir(at)
		tree := filepath.Join(at, way)
		if content, err := regular.ReadFile(filepath.Join(tree, model.FactoryFile)); err == nil && bytes.Contains(content, []byte(model.Header)) {
			return tree
		}
	}
	return ""
}

// checkCycles returns an error for each import cycle among API packages, packages that they import, and generated ones.
func (s *setup) checkCycles(set *model.Set, packages []*input.Package, files []render.File, loaded *load.Result) error {
	in := cycle.Input{Modules: map[string]string{}, Generated: map[string][][]byte{}, BuildTags: s.load.BuildTags}
	for _, pkg := range packages {
		if within := loaded.Within[pkg.Dir]; !pkg.Dependency && len(within) > 0 {
			in.Modules[pkg.Module] = within[len(within)-1]
		}
	}
	for _, p := range set.Packages() {
		in.Packages = append(in.Packages, p.Path)
	}
	for _, f := range files {
		if f.Dir == "" {
			of := path.Join(s.outputPackage, path.Dir(f.Path))
			in.Generated[of] = append(in.Generated[of], f.Content)
		}
	}
	var mistakes model.Errors
	cycle.Find(in, &mistakes)
	return mistakes.Join()
}

// outputs returns the files by folder: first those of the output folder, then those of each API package. A
// package without a file is among them if it may have stale ones.
func (s *setup) outputs(files []render.File, loaded *load.Result) []write.Output {
	byDir, owns := map[string]map[string][]byte{}, map[string]map[string]string{}
	for dir, names := range loaded.Generated {
		byDir[dir], owns[dir] = map[string][]byte{}, map[string]string{}
		for _, name := range names {
			owns[dir][name] = owned[name]
		}
	}
	for _, f := range files {
		if byDir[f.Dir] == nil {
			byDir[f.Dir], owns[f.Dir] = map[string][]byte{}, map[string]string{}
		}
		byDir[f.Dir][f.Path], owns[f.Dir][f.Path] = f.Content, owned[f.Path]
	}
	outputs := []write.Output{{
		Dir: s.outputDir, DisplayDir: s.displayDir(s.outputDir), Roots: model.Roots(s.applyName), Header: model.Header, Files: byDir[""],
	}}
	delete(byDir, "")
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		outputs = append(outputs, write.Output{Dir: dir, DisplayDir: s.displayDir(dir), Within: loaded.Within[dir], Owned: owns[dir], Header: model.Header, Files: byDir[dir]})
	}
	return outputs
}
