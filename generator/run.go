package generator

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// resolve validates the options and derives the rest. It reads go.mod and the header file.
func (o Options) resolve() (*input.Run, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the working directory: %w", err)
	}
	errs := []error{o.Validate()}
	run := &input.Run{
		Dir: dir, Patterns: o.Patterns, BuildTags: o.BuildTags,
		OutputDir:        below(dir, o.OutputDir),
		Layout:           model.Layout{ClientsetName: cmp.Or(o.ClientsetName, "versioned")},
		ClientsetPackage: o.VersionedClientsetPackage,
		ClientGo:         o.Informers == InformersClientGo,
		PrefersProtobuf:  o.PrefersProtobuf,
		Plurals:          o.PluralExceptions,
		GroupGoNames:     o.GroupGoNames,
		GroupDirs:        o.GroupDirs,
		DeepCopy:         o.DeepCopy,
		Register:         o.Register,
		ApplyPackage:     o.ApplyConfigurationPackage,
		ApplyExternals:   make(map[model.TypeRef]string, len(o.ApplyConfigExternals)),
	}
	switch o.From {
	case FromGenclient:
		run.From = input.FromGenclient
	case FromKubebuilder:
		run.From = input.FromKubebuilder
	}
	for of, in := range o.ApplyConfigExternals {
		ref, _ := markers.ParseTypeRef(of) // Validate has returned the error
		run.ApplyExternals[ref] = in
	}
	if o.ApplyConfigOpenAPISchema != "" {
		run.OpenAPI = below(dir, o.ApplyConfigOpenAPISchema)
	}
	run.Exclude, _ = input.NewExclusions(o.Exclude) // Validate has returned the error
	for _, file := range o.CRDs {
		run.CRDs = append(run.CRDs, below(dir, file))
	}
	if o.OutputDir != "" {
		run.Layout.OutputPackage, err = outputPackage(run.OutputDir, o.OutputPackage)
		errs = append(errs, err)
		if o.WithApplyConfig {
			run.ApplyDir = cmp.Or(o.ApplyConfigName, model.ApplyRoot)
			run.ApplyPackage = path.Join(run.Layout.OutputPackage, run.ApplyDir)
		}
	}
	if o.HeaderFile != "" {
		run.Boilerplate, err = readBoilerplate(below(dir, o.HeaderFile))
		errs = append(errs, err)
	}
	return run, errors.Join(errs...)
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
