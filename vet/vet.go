// Package vet has analyzers that find the mistakes of programs with informers: with those of client-go, of controller-runtime, and of
// informer-gen, whose typed API makes some of them impossible.
//
//	cmd/informer-vet     go vet -vettool, and a command of its own
//	golangci             a module plugin of golangci-lint
//	       │
//	vet.Analyzers ─▶ tombstone  cachewrite  unsynced  implicit  scan  handlererr  blocking  fullupdate     what is reported
//	                     │           │
//	                 handlers      trace       which functions informers call; what becomes of an object of a cache
//	                     └─────┬─────┘
//	                  program, report          SSA form; where findings are reported, and what ignores them
//	                        caches             the types and functions of client-go, controller-runtime and informer-gen
//
// A finding says what happens at run time. What a rule cannot see, it leaves alone: a missing finding says nothing about a program.
// docs/vet.md has a wrong and a right example of each, and what they found in published projects.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/typedinformers/informer-gen/vet/internal/blocking"
	"github.com/typedinformers/informer-gen/vet/internal/cachewrite"
	"github.com/typedinformers/informer-gen/vet/internal/fullupdate"
	"github.com/typedinformers/informer-gen/vet/internal/handlererr"
	"github.com/typedinformers/informer-gen/vet/internal/implicit"
	"github.com/typedinformers/informer-gen/vet/internal/report"
	"github.com/typedinformers/informer-gen/vet/internal/scan"
	"github.com/typedinformers/informer-gen/vet/internal/tombstone"
	"github.com/typedinformers/informer-gen/vet/internal/unsynced"
)

// Analyzers returns all analyzers. Each has a name, by which drivers select it.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		tombstone.Analyzer, cachewrite.Analyzer, unsynced.Analyzer, implicit.Analyzer, scan.Analyzer, handlererr.Analyzer, blocking.Analyzer, fullupdate.Analyzer,
		report.Ignore,
	}
}
