package generator

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/module"

	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// Options say what to generate, and where. Patterns and OutputDir are required.
type Options struct {
	// Dir is where patterns and relative paths are resolved; empty for the working
	// directory of the process.
	Dir string
	// Patterns name the packages with the API types, as for the go command.
	Patterns []string
	// OutputDir is the folder for clientset/, listers/ and informers/.
	OutputDir string
	// OutputPackage is the import path of OutputDir. Empty: it is derived from the
	// module that OutputDir is in.
	OutputPackage string
	// HeaderFile is a file whose text begins each emitted file; empty for none.
	HeaderFile string
	// ClientsetName is the package of the clientset; empty for versioned.
	ClientsetName string
	// PluralExceptions are plurals by the name of the type, for words that the
	// rules of English do not cover.
	PluralExceptions map[string]string
	// GroupGoNames and GroupDirs are Go names and folders of groups, by the name of the
	// group, where those that are derived do not do: SomeName, and somefolder.
	GroupGoNames, GroupDirs map[string]string
	// Exclude are packages and types that are left out: example.com/shop/v1 or
	// example.com/shop/v1.Order.
	Exclude []string
	// From says whose markers make a type a kind; empty for FromAuto.
	From From
	// BuildTags are set while files are chosen.
	BuildTags []string
	// ApplyConfigurationPackage is the import path of what applyconfiguration-gen has
	// written for the API packages. With it clients have Apply and ApplyStatus; empty
	// for clients without.
	ApplyConfigurationPackage string
	// PrefersProtobuf makes clients ask for protobuf. Not for custom resources, which
	// servers have in JSON only.
	PrefersProtobuf bool
	// CRDs are files of CustomResourceDefinitions, in YAML or JSON, and folders of
	// such files, against which the kinds are checked; none for no check.
	CRDs []string
}

// From says whose markers make a type a kind.
type From = decide.From

// FromAuto takes the markers of code-generator in a package with any +genclient,
// and those of kubebuilder in others.
const (
	FromAuto        = decide.FromAuto
	FromGenclient   = decide.FromGenclient
	FromKubebuilder = decide.FromKubebuilder
)

// Froms are all of them.
var Froms = decide.Froms

// setup is what Options come to.
type setup struct {
	load          load.Options
	naming        *decide.Naming
	applyPackage  string
	outputDir     string
	outputPackage string
	clientsetName string
	boilerplate   []byte
	crds          []string
}

// setup validates the options, and derives what they leave out.
func (o Options) setup() (*setup, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot tell the working directory: %w", err)
	}
	s := &setup{
		load:          load.Options{Dir: dir, Patterns: o.Patterns, BuildTags: o.BuildTags},
		applyPackage:  o.ApplyConfigurationPackage,
		naming:        decide.NewNaming(o.PluralExceptions),
		outputDir:     below(dir, o.OutputDir),
		clientsetName: o.ClientsetName,
	}
	if s.clientsetName == "" {
		s.clientsetName = "versioned"
	}
	for _, path := range o.CRDs {
		s.crds = append(s.crds, below(dir, path))
	}
	s.naming.GroupGoNames, s.naming.GroupDirs = o.GroupGoNames, o.GroupDirs
	var errs []error
	if s.load.Exclude, err = input.NewExclusions(o.Exclude); err != nil {
		errs = append(errs, err)
	}
	for _, group := range slices.Sorted(maps.Keys(o.GroupGoNames)) {
		if name := o.GroupGoNames[group]; !token.IsExported(name) || !token.IsIdentifier(name) {
			errs = append(errs, fmt.Errorf("--group-go-names=%s:%s does not name an exported Go identifier; write group:SomeName, such as shop.example.com:Shop", group, name))
		}
	}
	for _, group := range slices.Sorted(maps.Keys(o.GroupDirs)) {
		switch dir := o.GroupDirs[group]; {
		case dir == model.SharedInformerDir:
			errs = append(errs, fmt.Errorf("--group-dirs=%s:%s is the folder of the code that informers share; write another one", group, dir))
		case !isPackageName(dir):
			errs = append(errs, fmt.Errorf("--group-dirs=%s:%s does not name a folder of a Go package that others can import; write group:somefolder, such as shop.example.com:shop", group, dir))
		}
	}
	if len(o.Patterns) == 0 {
		errs = append(errs, errors.New("no package is named; name the packages of your API types, such as ./api/v1"))
	}
	if o.From != "" && !slices.Contains(decide.Froms, o.From) {
		errs = append(errs, fmt.Errorf("--from=%s is unknown; use one of %v", o.From, decide.Froms))
	}
	if o.OutputDir == "" {
		errs = append(errs, errors.New("no output folder is given; use --output-dir, for example --output-dir=pkg/generated"))
	} else if s.outputPackage, err = outputPackage(s.outputDir, o.OutputPackage); err != nil {
		errs = append(errs, err)
	}
	if o.ApplyConfigurationPackage != "" && !markers.IsImportPath(o.ApplyConfigurationPackage) {
		errs = append(errs, fmt.Errorf("--apply-configuration-package=%s is not an import path; write the whole path, such as example.com/operator/pkg/generated/applyconfiguration", o.ApplyConfigurationPackage))
	}
	if !isPackageName(s.clientsetName) {
		errs = append(errs, fmt.Errorf("the clientset cannot be called %q, because that is not a valid name of a Go package that others can import; use --clientset-name=versioned", s.clientsetName))
	}
	for _, singular := range slices.Sorted(maps.Keys(o.PluralExceptions)) {
		if plural := o.PluralExceptions[singular]; !token.IsIdentifier(singular) || !token.IsIdentifier(plural) {
			errs = append(errs, fmt.Errorf("--plural-exceptions=%s:%s does not have the names of Go types; write Type:Plural, such as Endpoints:Endpoints", singular, plural))
		}
	}
	if o.HeaderFile != "" {
		if s.boilerplate, err = readBoilerplate(below(dir, o.HeaderFile)); err != nil {
			errs = append(errs, err)
		}
	}
	return s, errors.Join(errs...)
}

// shownDir is the output folder as it is seen from where patterns are resolved, or,
// if it is not below there, from the root of its module.
func (s *setup) shownDir() string {
	from := []string{s.load.Dir}
	if goMod, err := findGoMod(s.outputDir); err == nil && goMod != "" {
		from = append(from, filepath.Dir(goMod))
	}
	for _, dir := range from {
		if way, err := filepath.Rel(dir, s.outputDir); err == nil && filepath.IsLocal(way) {
			return filepath.ToSlash(way)
		}
	}
	return ""
}

// isPackageName reports whether a folder and its package may have that name, and other
// packages may import it.
func isPackageName(name string) bool {
	switch name {
	case "init", "internal", "main", "testdata", "vendor":
		return false
	}
	return token.IsIdentifier(name) && name[0] != '_' && module.CheckImportPath("example.com/"+name) == nil
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// boilerplateYear is the placeholder of Kubernetes' header files. It is left
// out: a file must not differ because a year has gone by.
var boilerplateYear = regexp.MustCompile(`\bYEAR\b ?`)

func readBoilerplate(file string) ([]byte, error) {
	text, err := regular.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the header file: %w; check --go-header-file", err)
	}
	// What follows the last comment is the clause that is added here.
	fset := token.NewFileSet()
	source := string(text) + "\npackage p"
	parsed, err := parser.ParseFile(fset, file, source, parser.PackageClauseOnly)
	var mistakes scanner.ErrorList
	switch {
	case errors.As(err, &mistakes):
		return nil, model.Errorf(mistakes[0].Pos, "a header file holds comments only; begin its lines with //, or put /* and */ around them")
	case err != nil:
		return nil, err
	case fset.Position(parsed.Package).Offset != len(text)+1:
		return nil, model.Errorf(fset.Position(parsed.Package), "a header file holds comments only, not a package clause; leave it out")
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return boilerplateYear.ReplaceAll(text, nil), nil
}
