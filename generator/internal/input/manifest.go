package input

import "go/token"

// Manifest is a CustomResourceDefinition.
type Manifest struct {
	// Pos is the beginning of the definition.
	Pos token.Position
	// Without spec.names.listKind, ListKind is the name that the server assumes, at the
	// position of the Kind.
	Group, Plural, Kind, ListKind Placed
	// Scope is Namespaced or Cluster.
	Scope    Placed
	Versions []ManifestVersion
}

// ManifestVersion is one of spec.versions.
type ManifestVersion struct {
	Name   Placed
	Served bool
	// ServedPos is the position of served.
	ServedPos token.Position
	// Status and Scale report whether the version has these subresources.
	Status, Scale bool
	// SubresourcesPos is the position of subresources or, if there are none, of the
	// version's name.
	SubresourcesPos token.Position
	// SelectableFields are JSON paths, such as .spec.color.
	SelectableFields []Placed
	// Schema is openAPIV3Schema. It is nil if the version has none, or if schemas were not read.
	Schema *JSONSchema
}

// Version returns the version of that name.
func (m *Manifest) Version(name string) (ManifestVersion, bool) {
	for _, v := range m.Versions {
		if v.Name.Value == name {
			return v, true
		}
	}
	return ManifestVersion{}, false
}
