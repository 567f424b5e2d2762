package decide

import (
	"context"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// externals are the packages outside the run, by import path. There is no other code.
type externals map[string]*input.External

func (e externals) Externals(_ context.Context, importPaths []string) (map[string]*input.External, error) {
	found := externals{}
	for _, importPath := range importPaths {
		if external := e[importPath]; external != nil {
			found[importPath] = external
		}
	}
	return found, nil
}

func (externals) Clientset(context.Context, string) (*input.Clientset, error) { return nil, nil }

func (externals) Types(context.Context, func(model.TypeRef) bool, *model.Errors) (*input.Types, error) {
	return &input.Types{}, nil
}

func (externals) HasFile(string) bool { return false }

func (externals) MethodsOf(_, _ string) []string { return nil }

// decided returns the decision on an input and its errors.
func decided(t *testing.T, in Input) (*model.Set, error) {
	t.Helper()
	if in.Code == nil {
		in.Code = externals{}
	}
	var errs model.Errors
	set, err := Decide(t.Context(), in, &errs)
	if err != nil {
		t.Fatal(err)
	}
	return set, errs.Join()
}
