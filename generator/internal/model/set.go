package model

import "slices"

// Set has the groups of one run, sorted by group, version and kind.
type Set struct {
	Groups []*Group
	// Layout has the folders of the emitted packages.
	Layout Layout
	// Clientset is the clientset that exists and that informers list and watch with. It is nil if the
	// run generates one.
	Clientset *Clientset
	// DiscoveryType is the name of the type in k8s.io/client-go/discovery that a generated clientset returns.
	DiscoveryType string
	// KeepsSerializer reports whether generated clients keep the NegotiatedSerializer of their config, as clients of
	// client-gen do since v0.38. Older ones replace it, so a program may share a config whose serializer knows only
	// other kinds.
	KeepsSerializer bool
	// ClientGo is the form of client-go's informers that the run generates. It is empty for typed ones.
	ClientGo ClientGo
	// ApplyPackage is the import path of the root of the apply configurations, or "".
	ApplyPackage string
	// ApplyDirs are the folders below it of the packages with kinds and with types that methods apply, by the import
	// path of the types. It is nil if the run generates none.
	ApplyDirs map[string]string
	// Apply has the apply configurations to generate. It is nil if the run generates none.
	Apply *Apply
	// DeepCopies and Registrations are the files to generate in API packages.
	DeepCopies    []*DeepCopy
	Registrations []*Registration
	// Warnings report input that has no effect, in the order of their positions.
	Warnings []*Error
	// InlineTag is the tag with the key json of a field of an apply configuration whose members JSON inlines.
	InlineTag string
}

// ClientGo is a form of the informers of code-generator.
type ClientGo string

// The forms of client-go v0.34, v0.36, v0.37 and v0.38. Each has all of those before it.
const (
	ClientGoPlain   ClientGo = "plain"
	ClientGoNamed   ClientGo = "named"   // with InformerName and InformerOptions
	ClientGoTyped   ClientGo = "typed"   // with TypedInformer
	ClientGoSharded ClientGo = "sharded" // with SetShardSelector
)

// ClientGoNamed reports whether informers have names.
func (s *Set) ClientGoNamed() bool { return s.ClientGo == ClientGoNamed || s.ClientGoTyped() }

// ClientGoTyped reports whether informers have typed methods.
func (s *Set) ClientGoTyped() bool { return s.ClientGo == ClientGoTyped || s.ClientGoSharded() }

// ClientGoSharded reports whether informers have shard selectors.
func (s *Set) ClientGoSharded() bool { return s.ClientGo == ClientGoSharded }

// Clientset is a package with a clientset that exists.
type Clientset struct {
	// Path is the import path, and Name the name in the package clause.
	Path, Name string
	// Packages are the import paths of the clientset and of its clients.
	Packages []string
}

// GroupVersions returns the versions of all groups.
func (s *Set) GroupVersions() []*GroupVersion {
	var all []*GroupVersion
	for _, g := range s.Groups {
		all = append(all, g.Versions...)
	}
	return all
}

// Packages returns the packages with API types of all versions.
func (s *Set) Packages() []*Package {
	var all []*Package
	for _, gv := range s.GroupVersions() {
		all = append(all, gv.Packages...)
	}
	return all
}

// Clients returns the versions of all groups that have a client.
func (s *Set) Clients() []*GroupVersion {
	return slices.DeleteFunc(s.GroupVersions(), func(gv *GroupVersion) bool { return !gv.HasClient() })
}

// Kinds returns the kinds of all versions.
func (s *Set) Kinds() []*Kind {
	var all []*Kind
	for _, gv := range s.GroupVersions() {
		all = append(all, gv.Kinds...)
	}
	return all
}

// Informed returns the kinds and the views of all versions.
func (s *Set) Informed() []*Kind {
	var all []*Kind
	for _, gv := range s.GroupVersions() {
		all = append(all, gv.Informed()...)
	}
	return all
}

// Served returns the kinds of the clients, in the order of Kinds. Of several kinds with one resource
// it has only the first one, because a server has only one.
func (s *Set) Served() []*Kind {
	var kinds []*Kind
	for _, gv := range s.Clients() {
		of := len(kinds)
		for _, k := range gv.Kinds {
			if !slices.ContainsFunc(kinds[of:], func(first *Kind) bool { return first.Resource == k.Resource }) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}
