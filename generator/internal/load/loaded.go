package load

import (
	"fmt"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/typecheck"
)

// Loaded has the packages and the CRDs of a run, and answers questions about other code.
type Loaded struct {
	// Packages are the packages that the patterns match, sorted by path.
	Packages []*input.Package
	// TestsOnly are the import paths of packages that have only _test.go files.
	TestsOnly []string
	// Manifests are the CRDs.
	Manifests []*input.Manifest
	// Library is the client-go of the module.
	Library input.Library
	// Notes have the packages that were read, and the duration.
	Notes []string

	run     *input.Run
	checker *typecheck.Checker
}

func (l *Loaded) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
