package generator

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// owned are the files in the folders of API packages that belong to the generator, and the advice for a
// user who does not want them.
var owned = map[string]string{
	model.DeepCopyFile: "remove --deepcopy",
	model.RegisterFile: "remove --register",
}

// outputs returns the files by folder: first the files of the output folder, then the files of each API
// package. A package without a file is included if it may have stale files.
func outputs(run *input.Run, packages []*input.Package, files []render.File) []write.Output {
	byDir := map[string]map[string][]byte{}
	for _, f := range files {
		if byDir[f.Dir] == nil {
			byDir[f.Dir] = map[string][]byte{}
		}
		byDir[f.Dir][f.Path] = f.Content
	}
	all := []write.Output{{
		Dir: run.OutputDir, DisplayDir: displayDir(run, run.OutputDir), Roots: model.Roots(run.ApplyDir),
		Header: model.Header, Files: byDir[""],
	}}
	for _, pkg := range packages {
		own := byDir[pkg.Dir]
		if len(own)+len(pkg.Generated) == 0 {
			continue
		}
		out := write.Output{
			Dir: pkg.Dir, DisplayDir: displayDir(run, pkg.Dir), Within: pkg.Within, Owned: map[string]string{},
			Header: model.Header, Files: own,
		}
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
		if rel, err := filepath.Rel(dir, of); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// treeAbove returns the output folder of a run in a folder above the one of this run, in the same module and with
// the same relative OutputDir, or "".
func treeAbove(run *input.Run) string {
	rel, err := filepath.Rel(run.Dir, run.OutputDir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	for at := run.Dir; !exists(at, "go.mod") && at != filepath.Dir(at); {
		at = filepath.Dir(at)
		tree := filepath.Join(at, rel)
		content, err := regular.ReadFile(filepath.Join(tree, model.InformersDir, model.FactoryFile))
		if err == nil && bytes.Contains(content, []byte(model.Header)) {
			return tree
		}
	}
	return ""
}

func exists(dir, path string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil
}
