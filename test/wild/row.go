package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/test/compare"
)

// Row is one set of API packages, and what is expected of a run for them.
type Row struct {
	// Name is that of the folder below build/wild; the default is made of Module.
	Name string
	// Module and Version are what the packages are in.
	Module, Version string
	// Packages are patterns below Module, and Others are patterns with a whole path.
	Packages, Others []string
	// Flags are those of informer-gen, without --output-dir.
	Flags []string
	// Clientset is the import path of the published clientset, which is in Module or in
	// ClientModule; empty if there is none.
	Clientset string
	// ClientModule is path@version, if the clientset is in a module of its own.
	ClientModule string
	// Apply is the import path of the apply configurations that the published clientset
	// uses; empty if it has no Apply methods. The generated ones count as the same.
	Apply string
	// Requires are more modules as path@version, where the newest compatible version of a
	// dependency does not compile with the row.
	Requires []string
	// Shape says what is special about the source; empty for the ordinary.
	Shape string
	// Unusable is why the packages of the module cannot be used in a test; empty if they can.
	Unusable string
	// Accepted are the differences that are meant. Each has to be found.
	Accepted []compare.Accepted
	// Failing are beginnings of the failures of kinds that are faults of the module, with the reason. Each has to be found.
	Failing map[string]string
	// Refused is a regular expression of the message of a row that is refused, and Reason
	// says why that is right or not yet done. They are empty for a row that works.
	Refused, Reason string
}

// validate reports what is wrong with an entry of the table.
func (r Row) validate() error {
	switch {
	case r.Module == "" || r.Version == "" || len(r.Packages) == 0:
		return errors.New("a row needs a module, a version and packages")
	case r.Version == "latest":
		return fmt.Errorf("%s: the version has to be pinned", r.Module)
	case (r.Refused == "") != (r.Reason == ""):
		return fmt.Errorf("%s: a refusal needs a pattern and a reason", r.name())
	case r.Apply != "" && r.Clientset == "":
		return fmt.Errorf("%s: apply configurations are of no use without the path of the clientset", r.name())
	case r.ClientModule != "" && r.Clientset == "":
		return fmt.Errorf("%s: a module of a clientset needs the path of the clientset", r.name())
	}
	for _, entry := range r.Accepted {
		if entry.Reason == "" {
			return fmt.Errorf("%s: no reason is given for %s", r.name(), entry.Pattern)
		}
	}
	_, err := regexp.Compile(r.Refused)
	return err
}

// name is that of the folder and of the row in output.
func (r Row) name() string {
	return cmp.Or(r.Name, strings.NewReplacer("/", "_", ".", "-").Replace(r.Module))
}

// flags are those of informer-gen, without --output-dir.
func (r Row) flags() []string {
	return append(slices.Clone(r.Flags), "--with-applyconfig")
}

// patterns are the arguments of informer-gen.
func (r Row) patterns() []string {
	var patterns []string
	for _, pattern := range r.Packages {
		patterns = append(patterns, path.Join(r.Module, pattern))
	}
	return append(patterns, r.Others...)
}

// requirements are the modules of the row, as path@version.
func (r Row) requirements() []string {
	modules := []string{r.Module + "@" + r.Version}
	if r.ClientModule != "" {
		modules = append(modules, r.ClientModule)
	}
	return append(modules, r.Requires...)
}

// table returns all rows, ordered by name.
func table() []Row {
	rows := slices.Concat(kubernetesRows, networkRows, deliveryRows, platformRows, storageRows)
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.name(), b.name()) })
	return rows
}
