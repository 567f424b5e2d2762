package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/generator"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// flags holds the command line. Flags that code-generator has too have the same names.
type flags struct {
	set     *pflag.FlagSet
	options generator.Options
	// aliasDir is the folder of --alias-package; empty for a run that generates.
	aliasDir  string
	verify    bool
	version   bool
	verbosity int
}

const synopsis = `informer-gen generates code for the kinds in Go API packages: a typed clientset, a fake
clientset for tests, listers, informers and a shared informer factory. On request it
also generates apply configurations, deep copies, and the registration with a scheme.

Usage:
  informer-gen [flags] PACKAGE...

PACKAGE is a package pattern, as for the go command. A kind is a type with the marker
// +genclient. In a package without +genclient, it is a type with
// +kubebuilder:object:root=true.

Examples:
  # add informer-gen as a tool of the module
  go get -tool github.com/typedinformers/informer-gen/cmd/informer-gen

  # in a Go file in the root folder of the module, for "go generate ."
  //go:generate go tool informer-gen --output-dir=generated ./api/...

  # with apply configurations, for server-side apply
  go tool informer-gen --output-dir=generated --with-applyconfig ./api/...

  # for structs with +genclient: also write DeepCopy, list types and AddToScheme next to them
  go tool informer-gen --output-dir=generated --with-applyconfig --deepcopy --register ./api/...

  # for all API packages of a module, with a license header
  go tool informer-gen --output-dir=pkg/generated --go-header-file=hack/boilerplate.go.txt ./api/...

  # for types of a dependency
  go tool informer-gen --output-dir=pkg/kube k8s.io/api/apps/v1 k8s.io/api/core/v1

  # without a clientset: listers and informers over one that exists
  go tool informer-gen --output-dir=pkg/kube --versioned-clientset-package=k8s.io/client-go/kubernetes k8s.io/api/core/v1

  # for types of a dependency without markers: write aliases, then generate code for the aliases
  go tool informer-gen --alias-package=api/karpenter/v1 sigs.k8s.io/karpenter/pkg/apis/v1
  go tool informer-gen --output-dir=pkg/generated ./api/karpenter/v1

  # check the kinds against the CRDs that controller-gen has written
  go tool informer-gen --output-dir=pkg/generated --crd=config/crd/bases ./api/...

  # move a project from code-generator, or a manager of controller-runtime, to informer-gen
  go tool informer-gen migrate --dry-run

  # in CI: write nothing; print a diff and exit with 1 if a file is out of date
  go tool informer-gen --output-dir=pkg/generated --verify ./api/...

Flags:
`

func parseFlags(args []string) (*flags, error) {
	f := &flags{set: pflag.NewFlagSet("informer-gen", pflag.ContinueOnError)}
	f.set.Usage = func() {}
	f.set.SortFlags = false
	f.set.StringVar(&f.options.OutputDir, "output-dir", "", "folder for clientset/, listers/ and informers/ (required)")
	f.set.StringVar(&f.options.OutputPackage, "output-pkg", "", "import path of the output folder; "+
		"required only outside of a module, and otherwise checked against go.mod")
	f.set.StringVar(&f.options.HeaderFile, "go-header-file", "", "file with a comment that begins each generated file; "+
		"the word YEAR is removed")
	clientsetName := f.set.String("clientset-name", "versioned", "package name of the clientset")
	f.set.StringVar(&f.options.VersionedClientsetPackage, "versioned-clientset-package", "",
		"import path of a clientset that exists, such as k8s.io/client-go/kubernetes; only listers and informers over it are generated")
	informers := f.set.String("informers", string(generator.InformersTyped),
		"API of informers and listers: typed, or client-go for that of code-generator's output, which existing code compiles with; "+
			"the latter needs the module adapters/clientgo")
	plurals := f.set.StringSlice("plural-exceptions", nil, "irregular plurals as Type:Plural, such as Endpoints:Endpoints; may be repeated")
	goNames := f.set.StringSlice("group-go-names", nil, "Go names of groups as group:Name, such as shop.example.com:Shop; may be repeated")
	dirs := f.set.StringSlice("group-dirs", nil, "folders of groups as group:folder, such as gateway.networking.k8s.io:apis; "+
		"may be repeated")
	f.set.StringSliceVar(&f.options.Exclude, "exclude", nil,
		"packages and types to leave out, such as example.com/shop/v1 and example.com/shop/v1.Order; may be repeated")
	f.set.BoolVar(&f.options.WithApplyConfig, "with-applyconfig", false,
		"generate apply configurations too, and Apply and ApplyStatus of the clients")
	applyName := f.set.String("applyconfig-name", "applyconfiguration", "folder of the apply configurations in the output folder")
	externals := f.set.StringSlice("applyconfig-externals", nil,
		"apply configurations that exist, as type:package, "+
			"such as k8s.io/api/core/v1.Container:k8s.io/client-go/applyconfigurations/core/v1; may be repeated")
	f.set.StringVar(&f.options.ApplyConfigOpenAPISchema, "applyconfig-openapi-schema", "",
		"file with an OpenAPI v2 document that has the schemas of the kinds, instead of CRDs and markers")
	f.set.BoolVar(&f.options.DeepCopy, "deepcopy", false, "write zz_generated.deepcopy.go to the API packages of the module")
	f.set.BoolVar(&f.options.Register, "register", false, "write zz_generated.register.go to the API packages of the module, "+
		"with AddToScheme and the missing list types")
	f.set.StringVar(&f.options.ApplyConfigurationPackage, "apply-configuration-package", "",
		"import path of apply configurations that applyconfiguration-gen has generated, instead of --with-applyconfig")
	f.set.BoolVar(&f.options.PrefersProtobuf, "prefers-protobuf", false,
		"make clients and informers request protobuf for all kinds whose Go types have protobuf tags, "+
			"not only for those of k8s.io/api; servers do not support it for custom resources")
	f.set.StringArrayVar(&f.options.CRDs, "crd", nil, "file with CRDs, or folder with such files, to check the kinds against; "+
		"may be repeated")
	from := f.set.String("from", string(generator.FromAuto), "markers that make a type a kind: genclient, kubebuilder or auto; "+
		"auto means genclient in packages with at least one +genclient, and kubebuilder in others")
	tags := f.set.StringSlice("build-tags", nil, "build tags, as for the go command")
	f.set.StringVar(&f.aliasDir, "alias-package", "", "write only a Go file with aliases of the kinds of PACKAGE to this folder; "+
		"you can add markers to this file")
	f.set.BoolVar(&f.verify, "verify", false, "write nothing; print a diff, and exit with 1 if a file is out of date")
	f.set.IntVarP(&f.verbosity, "v", "v", 0, "1 prints all warnings and decisions, the changed files, and the duration of each stage")
	f.set.Lookup("v").NoOptDefVal = "1"
	f.set.BoolVar(&f.version, "version", false, "print the version, the revision, the Go version and the platform, and exit; "+
		"add them to a bug report")
	f.set.BoolP("help", "h", false, "print this text and exit")
	if err := f.set.Parse(args); err != nil {
		return f, f.advised(err)
	}
	if help, _ := f.set.GetBool("help"); help {
		return f, pflag.ErrHelp
	}
	if f.set.Changed("clientset-name") {
		f.options.ClientsetName = *clientsetName
	}
	if f.set.Changed("applyconfig-name") {
		f.options.ApplyConfigName = *applyName
	}
	f.options.Patterns, f.options.BuildTags, f.options.From = f.set.Args(), *tags, generator.From(*from)
	f.options.Informers = generator.Informers(*informers)
	if f.version {
		return f, nil
	}
	var errs [5]error
	f.options.PluralExceptions, errs[0] = pairs(*plurals, "plural-exceptions", "Type:Plural, such as Endpoints:Endpoints")
	f.options.GroupGoNames, errs[1] = pairs(*goNames, "group-go-names", "group:Name, such as shop.example.com:Shop")
	f.options.GroupDirs, errs[2] = pairs(*dirs, "group-dirs", "group:folder, such as gateway.networking.k8s.io:apis")
	if f.aliasDir != "" {
		if f.options.OutputDir != "" || f.verify || f.options.VersionedClientsetPackage != "" || f.options.DeepCopy ||
			f.options.Register || f.options.WithApplyConfig {
			return f, errors.New("--alias-package does not generate; remove --output-dir, --verify, --versioned-clientset-package, " +
				"--with-applyconfig, --deepcopy and --register, and generate in a second run")
		}
		f.options.OutputDir = f.aliasDir
	}
	f.options.ApplyConfigExternals, errs[3] = pairs(*externals, "applyconfig-externals",
		"type:package, such as k8s.io/api/core/v1.Container:k8s.io/client-go/applyconfigurations/core/v1")
	errs[4] = f.options.Validate()
	return f, errors.Join(errs[:]...)
}

// advised returns an error of Parse with the flag that was probably meant by an unknown one. pflag reports
// -deepcopy, with one hyphen, by its first letter.
func (f *flags) advised(err error) error {
	text := err.Error()
	_, word, ok := strings.Cut(text, "unknown flag: --")
	if !ok {
		_, word, ok = strings.Cut(text, " in -")
	}
	if !ok {
		return err
	}
	var known []string
	f.set.VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	word, _, _ = strings.Cut(word, "=")
	if meant := spelling.Nearest(word, known); meant != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, meant)
	}
	return fmt.Errorf("%w; correct it, or remove it", err)
}

// pairs splits each value of a flag at its colon.
func pairs(values []string, flag, form string) (map[string]string, error) {
	found := map[string]string{}
	for _, pair := range values {
		key, value, ok := strings.Cut(pair, ":")
		if !ok {
			return nil, fmt.Errorf("--%s=%s is not of the form %s", flag, pair, form)
		}
		if other, isSet := found[key]; isSet && other != value {
			return nil, fmt.Errorf("--%s has two values for %s, %s and %s; remove one of them", flag, key, other, value)
		}
		found[key] = value
	}
	return found, nil
}

// flagNames has the flag for each field of generator.Options that an error may name.
var flagNames = map[string]string{
	"ApplyConfigExternals":      "applyconfig-externals",
	"ApplyConfigName":           "applyconfig-name",
	"ApplyConfigOpenAPISchema":  "applyconfig-openapi-schema",
	"ApplyConfigurationPackage": "apply-configuration-package",
	"BuildTags":                 "build-tags",
	"CRDs":                      "crd",
	"ClientsetName":             "clientset-name",
	"DeepCopy":                  "deepcopy",
	"Exclude":                   "exclude",
	"From":                      "from",
	"GroupDirs":                 "group-dirs",
	"GroupGoNames":              "group-go-names",
	"HeaderFile":                "go-header-file",
	"Informers":                 "informers",
	"OutputDir":                 "output-dir",
	"OutputPackage":             "output-pkg",
	"PluralExceptions":          "plural-exceptions",
	"PrefersProtobuf":           "prefers-protobuf",
	"Register":                  "register",
	"VersionedClientsetPackage": "versioned-clientset-package",
	"WithApplyConfig":           "with-applyconfig",
}

// flagOf returns the flag that sets a field of generator.Options.
func (f *flags) flagOf(field string) string {
	if field == "OutputDir" && f.aliasDir != "" {
		return "--alias-package"
	}
	return "--" + flagNames[field]
}

func (f *flags) usage() string { return synopsis + f.set.FlagUsages() }
