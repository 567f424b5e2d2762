package generator

import (
	"errors"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// Options configure Generate and Aliases. Patterns and OutputDir are required.
type Options struct {
	// Dir is the folder in which patterns and relative paths are resolved. If it is empty, it is the
	// working directory of the process.
	Dir string
	// Patterns name the packages with the API types, as for the go command.
	Patterns []string
	// OutputDir is the folder for clientset/, listers/ and informers/.
	OutputDir string
	// OutputPackage is the import path of OutputDir. If it is empty, it is derived from the module
	// that OutputDir is in.
	OutputPackage string
	// HeaderFile is a file with the comment that begins each generated file. It may be empty.
	HeaderFile string
	// ClientsetName is the package name of the generated clientset. If it is empty, it is "versioned".
	ClientsetName string
	// VersionedClientsetPackage is the import path of a clientset that exists, real or fake, such as
	// k8s.io/client-go/kubernetes. If it is set, only listers and informers are generated, and the
	// informers list and watch with that clientset. If it is empty, a clientset is generated.
	VersionedClientsetPackage string
	// Informers is the form of informers and listers. If it is empty, it is InformersTyped.
	Informers Informers
	// PluralExceptions maps type names to their plurals, for irregular plurals.
	PluralExceptions map[string]string
	// GroupGoNames maps groups to Go names such as SomeName, instead of the derived ones.
	GroupGoNames map[string]string
	// GroupDirs maps groups to folders such as somefolder, instead of the derived ones.
	GroupDirs map[string]string
	// Exclude are packages and types to leave out, such as example.com/shop/v1 or
	// example.com/shop/v1.Order.
	Exclude []string
	// From selects the markers that make a type a kind. If it is empty, it is FromAuto.
	From From
	// BuildTags are the build tags for the choice of Go files.
	BuildTags []string
	// ApplyConfigurationPackage is the import path of the output of applyconfiguration-gen for the
	// API packages. If it is empty, clients have no Apply and ApplyStatus.
	ApplyConfigurationPackage string
	// WithApplyConfig generates apply configurations, and Apply and ApplyStatus of the clients.
	WithApplyConfig bool
	// ApplyConfigName is the folder of the apply configurations in OutputDir. If it is empty, it is
	// "applyconfiguration".
	ApplyConfigName string
	// ApplyConfigExternals maps types of other packages, such as k8s.io/api/core/v1.Container, to the
	// packages with their apply configurations, such as k8s.io/client-go/applyconfigurations/core/v1.
	ApplyConfigExternals map[string]string
	// ApplyConfigOpenAPISchema is a file with an OpenAPI v2 document that has the schemas of the kinds. If it
	// is empty, they are read from CRDs and from the Go types.
	ApplyConfigOpenAPISchema string
	// DeepCopy writes the file zz_generated.deepcopy.go to the API packages of the main module.
	DeepCopy bool
	// Register writes the file zz_generated.register.go to the API packages of the main module, with
	// AddToScheme and the missing list types.
	Register bool
	// PrefersProtobuf makes clients and informers request protobuf for all kinds whose Go types have
	// protobuf tags and methods, and not only for the kinds of k8s.io/api. Servers do not support it
	// for custom resources.
	PrefersProtobuf bool
	// CRDs are files with CustomResourceDefinitions in YAML or JSON, or folders with such files. The
	// kinds are checked against them. If it is empty, there is no check.
	CRDs []string
}

// Informers is a form of informers, listers and their factory.
type Informers string

// InformersTyped are informers of package cache. InformersClientGo have the API of code-generator's output for the
// client-go of the user's module, so that code over that compiles unchanged. They need the module adapters/clientgo.
const (
	InformersTyped    Informers = "typed"
	InformersClientGo Informers = "client-go"
)

// AllInformers are all values of Informers.
var AllInformers = []Informers{InformersTyped, InformersClientGo}

// From selects the markers that make a type a kind.
type From string

const (
	// FromAuto selects the markers of code-generator in packages with at least one +genclient, and the markers of
	// kubebuilder in others.
	FromAuto From = "auto"
	// FromGenclient selects the markers of code-generator.
	FromGenclient From = "genclient"
	// FromKubebuilder selects the markers of kubebuilder.
	FromKubebuilder From = "kubebuilder"
)

// Froms are all values of From.
var Froms = []From{FromAuto, FromGenclient, FromKubebuilder}

// Validate returns an OptionError for each mistake that the options alone show. It reads no files.
// Generate and Aliases call it first.
func (o Options) Validate() error {
	var errs []error
	add := func(field, format string, args ...any) { errs = append(errs, optionError(field, format, args...)) }
	if o.OutputDir == "" {
		add("OutputDir", "{OutputDir} is required, for example {OutputDir}=pkg/generated")
	}
	if len(o.Patterns) == 0 {
		add("Patterns", "no package is named; name the packages of your API types, such as ./api/v1")
	}
	if slices.Contains(o.CRDs, "") {
		add("CRDs", "{CRDs} is empty; name a file with CRDs, or a folder of such files, for example {CRDs}=config/crd/bases")
	}
	if _, err := input.NewExclusions(o.Exclude); err != nil {
		add("Exclude", "{Exclude}=%w", err)
	}
	if o.Informers != "" && !slices.Contains(AllInformers, o.Informers) {
		add("Informers", "{Informers}=%s is unknown%s", o.Informers, spelling.DidYouMean(string(o.Informers), AllInformers))
	}
	if o.From != "" && !slices.Contains(Froms, o.From) {
		add("From", "{From}=%s is unknown%s", o.From, spelling.DidYouMean(string(o.From), Froms))
	}
	if root := o.ApplyConfigurationPackage; root != "" && !markers.IsImportPath(root) {
		add("ApplyConfigurationPackage", "{ApplyConfigurationPackage}=%s is not an import path; "+
			"write the whole path, such as example.com/operator/pkg/generated/applyconfiguration", root)
	}
	if path := o.VersionedClientsetPackage; path != "" {
		if !markers.IsImportPath(path) {
			add("VersionedClientsetPackage", "{VersionedClientsetPackage}=%s is not an import path; "+
				"write the whole path, such as k8s.io/client-go/kubernetes", path)
		}
		if o.ClientsetName != "" {
			add("ClientsetName", "{ClientsetName}=%s names a clientset to generate, but {VersionedClientsetPackage} uses one that "+
				"exists; remove one of the two", o.ClientsetName)
		}
		if o.ApplyConfigurationPackage != "" {
			add("ApplyConfigurationPackage", "{ApplyConfigurationPackage} is for a clientset to generate, "+
				"but {VersionedClientsetPackage} uses one that exists; remove one of the two")
		}
	}
	if o.WithApplyConfig && o.ApplyConfigurationPackage != "" {
		add("WithApplyConfig", "{WithApplyConfig} generates apply configurations, but {ApplyConfigurationPackage} uses some that "+
			"exist; remove one of the two")
	}
	if o.WithApplyConfig && o.VersionedClientsetPackage != "" {
		add("WithApplyConfig", "{WithApplyConfig} is for a clientset to generate, but {VersionedClientsetPackage} uses one that "+
			"exists; remove one of the two")
	}
	if !o.WithApplyConfig && (o.ApplyConfigName != "" || len(o.ApplyConfigExternals) > 0 || o.ApplyConfigOpenAPISchema != "") {
		add("WithApplyConfig", "{ApplyConfigName}, {ApplyConfigExternals} and {ApplyConfigOpenAPISchema} have no effect without "+
			"{WithApplyConfig}; add it")
	}
	isOther := func(root string) bool { // also on a file system that ignores case
		return root != model.ApplyRoot && strings.EqualFold(root, o.ApplyConfigName)
	}
	if name := o.ApplyConfigName; slices.ContainsFunc(model.Roots(""), isOther) {
		add("ApplyConfigName", "{ApplyConfigName}=%s is the folder of other generated code; "+
			"use another name, such as {ApplyConfigName}=applyconfiguration", name)
	} else if name != "" && !isPackageName(name) {
		add("ApplyConfigName", "{ApplyConfigName}=%s is not the name of a Go package that others can import; "+
			"use {ApplyConfigName}=applyconfiguration", name)
	}
	for _, of := range slices.Sorted(maps.Keys(o.ApplyConfigExternals)) {
		in := o.ApplyConfigExternals[of]
		if ref, ok := markers.ParseTypeRef(of); !ok || ref.Path == "" || !markers.IsImportPath(in) {
			add("ApplyConfigExternals", "{ApplyConfigExternals}=%s:%s is not of the form type:package with import paths; "+
				"write for example k8s.io/api/core/v1.Container:k8s.io/client-go/applyconfigurations/core/v1", of, in)
		}
	}
	if name := o.ClientsetName; name != "" && !isPackageName(name) {
		add("ClientsetName", "{ClientsetName}=%s is not the name of a Go package that others can import; "+
			"use {ClientsetName}=versioned", name)
	}
	for _, singular := range slices.Sorted(maps.Keys(o.PluralExceptions)) {
		if plural := o.PluralExceptions[singular]; !token.IsIdentifier(singular) || !token.IsIdentifier(plural) {
			add("PluralExceptions", "{PluralExceptions}=%s:%s is not of the form Type:Plural with two names of Go types; "+
				"write for example Endpoints:Endpoints", singular, plural)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(o.GroupGoNames)) {
		if name := o.GroupGoNames[group]; !token.IsExported(name) || !token.IsIdentifier(name) {
			add("GroupGoNames", "{GroupGoNames}=%s:%s does not name an exported Go identifier; "+
				"write group:SomeName, such as shop.example.com:Shop", group, name)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(o.GroupDirs)) {
		switch dir := o.GroupDirs[group]; {
		case slices.Contains(model.ReservedNames().GroupDir, dir):
			add("GroupDirs", "{GroupDirs}=%s:%s is the folder of the code that informers share; use another folder", group, dir)
		case !isPackageName(dir):
			add("GroupDirs", "{GroupDirs}=%s:%s does not name a folder of a Go package that others can import; "+
				"write group:somefolder, such as shop.example.com:shop", group, dir)
		}
	}
	return errors.Join(errs...)
}
