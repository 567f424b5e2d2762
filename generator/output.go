package generator

import (
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// owned are the files in the folders of API packages that belong to the generator, and what a user can do
// instead of having them.
var owned = map[string]string{
	model.DeepCopyFile: "remove --deepcopy",
	model.RegisterFile: "remove --register",
}

// outputs returns the files by folder: first those of the output folder, then those of each API package. A
// package without a file is among them if it may have stale ones.
func (s *setup) outputs(files []render.File, loaded *load.Result) []write.Output {
	byDir := map[string]map[string][]byte{}
	for _, dir := range loaded.Generated {
		byDir[dir] = map[string][]byte{}
	}
	for _, f := range files {
		if byDir[f.Dir] == nil {
			byDir[f.Dir] = map[string][]byte{}
		}
		byDir[f.Dir][f.Path] = f.Content
	}
	outputs := []write.Output{{
		Dir: s.outputDir, DisplayDir: s.displayDir(s.outputDir), Roots: render.Roots(s.applyName), Header: render.Header, Files: byDir[""],
	}}
	delete(byDir, "")
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		outputs = append(outputs, write.Output{Dir: dir, DisplayDir: s.displayDir(dir), Owned: owned, Header: render.Header, Files: byDir[dir]})
	}
	return outputs
}
