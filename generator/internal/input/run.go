package input

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Run describes a run: the options of the user, checked, with absolute paths and without defaults to fill in. All stages
// read it, and none changes it.
type Run struct {
	// Dir is the folder in which patterns are resolved.
	Dir string
	// Patterns are package patterns of the go command, such as ./api/... and k8s.io/api/apps/v1, and BuildTags the
	// build tags for the choice of files.
	Patterns, BuildTags []string
	// Exclude has the packages and types to leave out. It may be nil.
	Exclude *Exclusions
	// From selects the markers that make a type a kind.
	From From
	// Candidates adds the types without a marker that have a list type.
	Candidates bool
	// CRDs are files and folders with CustomResourceDefinitions.
	CRDs []string

	// OutputDir is the folder of the clientset, the listers and the informers.
	OutputDir string
	// Layout has the import path of that folder, and the folders in it.
	Layout model.Layout
	// ClientsetPackage is the import path of a clientset that exists, or "" if the run generates one.
	ClientsetPackage string
	// ClientGo makes informers and listers have the API of code-generator's output.
	ClientGo bool
	// PrefersProtobuf makes clients and informers request protobuf for all kinds whose Go types have it, and not only for the
	// built-in kinds.
	PrefersProtobuf bool
	// Boilerplate begins each file, before model.Header.
	Boilerplate []byte

	// Plurals are irregular plurals by the name of the type.
	Plurals map[string]string
	// GroupGoNames and GroupDirs are the Go names and the folders that the user has chosen for groups, by the name of the
	// group.
	GroupGoNames, GroupDirs map[string]string

	// DeepCopy makes the run write the deep copies of the packages of the main module, and Register the declarations
	// that these packages lack to be registered with a scheme.
	DeepCopy, Register bool

	// ApplyPackage is the import path of the root of the apply configurations, or "" if clients have no Apply.
	ApplyPackage string
	// ApplyDir is the folder of the apply configurations to generate, or "" if ApplyPackage exists.
	ApplyDir string
	// ApplyExternals are the packages with apply configurations that exist, by type.
	ApplyExternals map[model.TypeRef]string
	// OpenAPI is the file with the schemas of the kinds, or "".
	OpenAPI string
}

// From selects the markers that make a type of a package a kind.
type From int

const (
	// FromAuto selects the markers of code-generator in a package with at least one +genclient, and the markers of
	// kubebuilder in others.
	FromAuto From = iota
	FromGenclient
	FromKubebuilder
)

// GeneratesApply reports whether the run generates the apply configurations.
func (r *Run) GeneratesApply() bool { return r.ApplyDir != "" }

// WritesFile reports whether the run writes a file of that name to the API packages of the main module.
func (r *Run) WritesFile(name string) bool {
	return r.DeepCopy && name == model.DeepCopyFile || r.Register && name == model.RegisterFile
}

// IsOutput reports whether a package is in a folder that the run writes.
func (r *Run) IsOutput(importPath string) bool {
	return slices.ContainsFunc(model.Roots(r.ApplyDir), func(root string) bool {
		root = r.Layout.OutputPackage + "/" + root
		return importPath == root || strings.HasPrefix(importPath, root+"/")
	})
}
