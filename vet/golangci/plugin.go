// Package golangci registers the analyzers as a module plugin of golangci-lint. Importing it is enough.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/typedinformers/informer-gen/vet"
)

func init() {
	register.Plugin("informervet", func(any) (register.LinterPlugin, error) { return plugin{}, nil })
}

type plugin struct{}

// BuildAnalyzers returns all analyzers.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return vet.Analyzers(), nil }

// GetLoadMode asks for the types of a package.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
