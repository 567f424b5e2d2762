package input

import (
	"go/token"
	"iter"
	"slices"

	"golang.org/x/mod/module"

	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Paths returns the import paths of packages.
func Paths(packages []*Package) []string {
	var paths []string
	for _, pkg := range packages {
		paths = append(paths, pkg.Path)
	}
	return paths
}

// Package is an API package.
type Package struct {
	// Path is the import path.
	Path string
	// Name is the name in the package clause.
	Name string
	// Module is the path of the module, or "" if it is unknown.
	Module string
	// Dir is the folder of the package on disk.
	Dir string
	// Within are the folders above Dir that no link may lead out of, the outer ones first: the workspace, and the module.
	// It is empty for a dependency.
	Within []string
	// Generated are the names of the files of earlier runs that were not read.
	Generated []string
	// Dependency reports whether the package is outside the main module, so that the
	// user cannot edit it.
	Dependency bool
	// Broken reports whether a mistake because of which the types are unknown has been reported. Types is empty.
	Broken bool
	// Pos is the package clause of the file that documents the package.
	Pos token.Position
	// Markers are the markers above a package clause, in the order of the files.
	Markers markers.List
	// Declared holds the package's top-level names.
	Declared map[string]bool
	// HasAddToScheme reports whether the package declares an AddToScheme that can be called.
	HasAddToScheme bool
	// OldTypeConverter reports whether NewTypeConverter is from applyconfiguration-gen before v0.34. It
	// returns a type that client-go has removed.
	OldTypeConverter bool
	// GroupVersion is the group and version that the package declares in a variable.
	GroupVersion DeclaredGroupVersion
	// SchemeBuilder is the form of the package's SchemeBuilder.
	SchemeBuilder SchemeBuilder
	// Objects are the exported structs with TypeMeta and a method DeepCopyObject, sorted.
	Objects []string
	// Constraints are the build constraints of types that some builds leave out, as //go:build lines, by name.
	Constraints map[string]string
	// DotImports are the imports of the package with a dot as their name.
	DotImports []Import
	// Lacking are the methods that types which methods of kinds send or return are known to lack, by name: some of
	// DeepCopyObject, GetObjectKind and GetName.
	Lacking map[string][]string
	// Untagged are the fields without a JSON name in a tag, of structs that kinds consist of, and Embedding the fields
	// with the option embed instead of a name. Both are sorted by position.
	Untagged, Embedding []Field
	// Types are the types with a marker of informer-gen, sorted by name.
	Types []*Type
}

// FolderPath returns Path, whose last elements are the names of folders. It leaves out the major version of the module
// if the package is in the root folder of a module such as example.com/shop/v2 or gopkg.in/shop.v2.
func (p *Package) FolderPath() string {
	if prefix, _, ok := module.SplitPathVersion(p.Module); ok && p.Path == p.Module {
		return prefix
	}
	return p.Path
}

// Type returns the type with that name, or nil.
func (p *Package) Type(name string) *Type {
	if at := slices.IndexFunc(p.Types, func(t *Type) bool { return t.Name == name }); at >= 0 {
		return p.Types[at]
	}
	return nil
}

// Methods yields the methods that the markers of the types describe, without those with a problem.
func (p *Package) Methods() iter.Seq[markers.Method] {
	return func(yield func(markers.Method) bool) {
		for _, t := range p.Types {
			for _, m := range t.Markers {
				if method, ok := m.Value.(markers.Method); ok && len(m.Problems) == 0 && !yield(method) {
					return
				}
			}
		}
	}
}

// IsInternal reports whether the package has the unversioned types of a group.
func (p *Package) IsInternal() bool {
	return p.GroupVersion.VersionKnown && p.GroupVersion.Version == InternalVersion
}

// AddLacking adds a method that a type lacks.
func (p *Package) AddLacking(name, method string) {
	if p.Lacking == nil {
		p.Lacking = map[string][]string{}
	}
	if !slices.Contains(p.Lacking[name], method) {
		p.Lacking[name] = append(p.Lacking[name], method)
	}
}

// Field is a field of a struct type.
type Field struct {
	// Of is the name of the type.
	Of, Name   string
	IsEmbedded bool
	Pos        token.Position
}

// Import is an import declaration.
type Import struct {
	Path string
	Pos  token.Position
}

// External is a package that a marker or a flag names.
type External struct {
	// Package is nil if there is a Problem.
	Package *Package
	// Problem is the reason why the package could not be read, and the fix. It is empty if the
	// package was read.
	Problem string
}

// DeclaredGroupVersion is a package's variable of type schema.GroupVersion.
type DeclaredGroupVersion struct {
	// Name is the name of the variable, SchemeGroupVersion or GroupVersion. It is empty if
	// the package has neither.
	Name string
	// OtherType reports whether the variable is not a schema.GroupVersion, but a string or a
	// pointer, so that generated code cannot use it.
	OtherType bool
	// Group and Version are known if they are a literal or a constant.
	Group, Version           string
	GroupKnown, VersionKnown bool
	Pos                      token.Position
}

// SchemeBuilder is the form of a package's variable SchemeBuilder, which registers types.
type SchemeBuilder int

const (
	// NoBuilder means that the package has nothing with the name SchemeBuilder.
	NoBuilder SchemeBuilder = iota
	// FuncBuilder is a runtime.SchemeBuilder of apimachinery. Its method Register takes functions.
	FuncBuilder
	// ObjectBuilder is a scheme.Builder of controller-runtime. Its method Register takes objects.
	ObjectBuilder
	// OtherBuilder is something else.
	OtherBuilder
)

// InternalVersion is the version of the unversioned types of a group. No server serves it.
const InternalVersion = "__internal"

// Type is a type declaration with markers.
type Type struct {
	Name    string
	Pos     token.Position
	Doc     string
	Markers markers.List
	// Detached are markers too far above the type to have an effect.
	Detached markers.List
	// IsCandidate reports whether the type was added although it may have no marker.
	IsCandidate bool
	// IsStruct reports whether the underlying type is a struct.
	IsStruct bool
	// BuildConstraint is the build constraint of the file as a //go:build line if some builds leave the file
	// out. It is empty otherwise.
	BuildConstraint string
	// IsGeneric reports whether the type has type parameters.
	IsGeneric bool
	// A kind needs TypeMeta and ObjectMeta of apimachinery, or the methods of runtime.Object
	// and metav1.Object.
	HasTypeMeta, HasObjectMeta, HasDeepCopyObject bool
	// MissingMethod is a method of metav1.Object that the type lacks although it has others,
	// or "".
	MissingMethod string
	// HasStatus reports whether the type has a field Status.
	HasStatus bool
	// Protobuf is the import path of the package that declares the type, which differs from the
	// path of this package for an alias. It is empty unless clients can encode and decode the type
	// and its list type as protobuf: both have the methods for it, and each of their own fields that
	// is in JSON has a protobuf tag.
	Protobuf string
	// DeclaresList reports whether the package has a type with the suffix "List".
	DeclaresList bool
	// HasList reports whether clients can use that type: a struct with TypeMeta, ListMeta,
	// Items of this type, and DeepCopyObject.
	HasList bool
	// WritesCopy reports whether the run writes the methods of the type that copy it and that the type lacks.
	// WritesDeclaredListCopy is the same for its list type.
	WritesCopy, WritesDeclaredListCopy bool
	// AliasOf is the type that the type is an alias of, and ListAliasOf the type that the list type is an alias of.
	// They are zero for other types. An instance of a generic type has its arguments in its name.
	AliasOf, ListAliasOf model.TypeRef
	// WritesList reports whether the package lacks the list type, and the run writes it.
	// WritesListCopy reports whether the run writes its DeepCopyObject next to it.
	WritesList, WritesListCopy bool
	// ListMentioned reports whether code of the package uses the list type that it lacks.
	ListMentioned bool
	// HasDeepCopyInto reports whether a type with WritesList has a method DeepCopyInto.
	HasDeepCopyInto bool
	// List is the form of that struct.
	List model.ListForm
	// ListLacksCopy reports whether the list type has everything but a method DeepCopyObject.
	ListLacksCopy bool
	// ListProblem is the mistake in the list type and its fix, if HasList is false.
	// ListPos is the position of the list type or, if there is none, of the type.
	ListProblem string
	ListPos     token.Position
	// Fields are the fields at the paths in the markers, by the text of the path.
	Fields map[string]*model.Field
	// Misnamed is the mistake in the JSON names of the metadata, and MisnamedStatus the mistake in the name of the
	// field Status. They are nil if there is none.
	Misnamed, MisnamedStatus *Misfit
	// Misfits are the fields of a view that its kind does not have, or has with another
	// form.
	Misfits []Misfit
}

// Misfit is a field that clients cannot decode from the JSON of a kind.
type Misfit struct {
	Pos token.Position
	// Problem is the mistake in the field and its fix.
	Problem string
}

// RegisterFix and CopyFix begin the fixes in messages that a flag makes unnecessary.
const (
	RegisterFix = "use --register, or "
	CopyFix     = "use --deepcopy, or "
)

// DeepCopyFix is how a type gets a method DeepCopyObject, for messages.
const DeepCopyFix = CopyFix + "generate it first, " +
	"with controller-gen object (// +kubebuilder:object:generate=true above the package clause and // +kubebuilder:object:root=true above the type) " +
	"or deepcopy-gen (// +k8s:deepcopy-gen=package and // +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object there)"
