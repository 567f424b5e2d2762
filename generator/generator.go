package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Generate reads the packages that options name and returns the files that it
// makes of them. It writes nothing.
func Generate(ctx context.Context, options Options) (*Result, error) {
	started := time.Now()
	setup, err := options.setup()
	if err != nil {
		return nil, err
	}
	var mistakes model.Errors
	loaded, err := load.Load(ctx, setup.load, &mistakes)
	if err != nil {
		return nil, err
	}
	manifests, err := load.Manifests(ctx, setup.crds, &mistakes)
	if err != nil {
		return nil, err
	}
	read := time.Now()
	set := model.Assemble(model.Input{
		Packages:     loaded.Packages,
		Externals:    loaded.Externals,
		Manifests:    manifests,
		Naming:       setup.naming,
		From:         options.From,
		ApplyPackage: setup.load.ApplyPackage,
	}, &mistakes)
	if err := mistakes.Join(); err != nil {
		return nil, err
	}
	result := &Result{Kinds: len(set.Kinds()), Views: len(set.Informed()) - len(set.Kinds()), GroupVersions: len(set.GroupVersions()), Loaded: loaded.Notes, PassedOver: passedOver(loaded.Packages, set)}
	if result.Kinds+result.Views == 0 {
		return nil, nothingLeft(options.Patterns, set.Warnings)
	}
	files, err := render.Render(ctx, render.Options{
		Set:             set,
		OutputPackage:   setup.outputPackage,
		ClientsetName:   setup.clientsetName,
		PrefersProtobuf: options.PrefersProtobuf,
		Boilerplate:     setup.boilerplate,
		HandWritten:     func(path string) bool { return exists(setup.outputDir, path) },
	})
	if err != nil {
		return nil, err
	}
	rendered := time.Now()
	if result.plan, err = write.NewPlan(ctx, outputOf(setup, files)); err != nil {
		return nil, err
	}
	result.Timing = Timing{Load: read.Sub(started), Render: rendered.Sub(read), Compare: time.Since(rendered)}
	result.describe(set, setup)
	return result, nil
}

// nothingLeft says that there is no kind, and why if something was passed over.
func nothingLeft(patterns []string, reasons []*model.Error) error {
	where := strings.Join(patterns, " ")
	if len(reasons) == 0 {
		return fmt.Errorf("no kind to generate for in %s; write // +genclient above the type of a kind, or // +kubebuilder:object:root=true", where)
	}
	all := []error{fmt.Errorf("no kind to generate for in %s; see why these are passed over", where)}
	for _, reason := range reasons {
		all = append(all, reason)
	}
	return errors.Join(all...)
}

func outputOf(s *setup, files []render.File) write.Output {
	output := write.Output{
		Dir:   s.outputDir,
		Shown: s.shownDir(),
		// Of one run all three are its own. A folder beside them is not looked at.
		Roots:  []string{"clientset", "listers", "informers"},
		Header: render.Header,
		Files:  make(map[string][]byte, len(files)),
	}
	for _, f := range files {
		output.Files[f.Path] = f.Content
	}
	return output
}

// passedOver returns the packages without a kind.
func passedOver(packages []*model.Package, set *model.Set) []string {
	taken := map[string]bool{}
	for _, gv := range set.GroupVersions() {
		taken[gv.Path] = true
	}
	var others []string
	for _, pkg := range packages {
		if !taken[pkg.Path] {
			others = append(others, pkg.Path)
		}
	}
	return others
}

func exists(dir, path string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil
}
