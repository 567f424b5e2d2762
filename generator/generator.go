package generator

import (
	"context"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Generate reads the packages that options name, and returns the generated files compared with the
// files on disk. It writes nothing. Its errors about the input begin with a position; errors about
// options are of type *OptionError.
func Generate(ctx context.Context, options Options) (*Result, error) {
	var timing Timing
	started := time.Now()
	run, err := options.resolve()
	if err != nil {
		return nil, err
	}
	var errs model.Errors
	loaded, err := load.Load(ctx, run, &errs)
	if err != nil {
		return nil, err
	}
	timing.Load, started = time.Since(started), time.Now()

	set, err := decide.Decide(ctx, inputOf(run, loaded), &errs)
	if err != nil {
		return nil, err
	}
	if err := errs.Join(); err != nil {
		return nil, err
	}
	if err := checkSet(options, run, loaded, set); err != nil {
		return nil, err
	}
	timing.Decide, started = time.Since(started), time.Now()

	files, err := render.Render(ctx, set, run.Boilerplate)
	if err != nil {
		return nil, err
	}
	if err := checkCycles(run, set, loaded.Packages, files); err != nil {
		return nil, err
	}
	timing.Render, started = time.Since(started), time.Now()

	plan, err := write.NewPlan(ctx, outputs(run, loaded.Packages, files)...)
	if err != nil {
		return nil, err
	}
	if err := checkPlan(run, loaded, set, plan); err != nil {
		return nil, err
	}
	timing.Compare = time.Since(started)
	return newResult(run, loaded, set, plan, timing), nil
}

// inputOf returns the arguments of decide.
func inputOf(run *input.Run, loaded *load.Loaded) decide.Input {
	return decide.Input{Run: run, Packages: loaded.Packages, Manifests: loaded.Manifests, Library: loaded.Library, Code: loaded}
}
