package merge

import "github.com/typedinformers/informer-gen/generator/internal/model"

// fromGo returns the schema of the kinds that their Go types and markers show.
func fromGo(in Input, mistakes *model.Errors) *model.Schema { return &model.Schema{} }
