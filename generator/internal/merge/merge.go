// Package merge derives the schemas for structured merge, with which server-side apply and Extract tell whose
// field is whose.
package merge

import (
	"context"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide.
type Input struct {
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Set has the kinds.
	Set *model.Set
	// Manifests are CRDs. A kind with a CRD has the schema of the CRD.
	Manifests []*input.Manifest
	// OpenAPI is a file with an OpenAPI v2 document, or "". Its schemas replace all others.
	OpenAPI string
}

// Decide returns the schema of the kinds that have the verb apply or applyStatus. It adds contradictions
// to the mistakes. The error is that of ctx.
func Decide(ctx context.Context, in Input, mistakes *model.Errors) (*model.Schema, error) {
	return fromGo(in, mistakes), nil
}
