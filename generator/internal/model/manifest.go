package model

import "go/token"

// Manifest is one CustomResourceDefinition, as load found it in a file.
type Manifest struct {
	// Pos is where the definition begins.
	Pos token.Position
	// What spec and spec.names say. A ListKind that is left out is the one that the
	// server then assumes, at the place of the Kind.
	Group, Plural, Kind, ListKind Placed
	// Scope is Namespaced or Cluster.
	Scope    Placed
	Versions []ManifestVersion
}

// ManifestVersion is one of spec.versions.
type ManifestVersion struct {
	Name   Placed
	Served bool
	// ServedPos is where Served is said.
	ServedPos token.Position
	// Status and Scale say whether the version has these subresources.
	Status, Scale bool
	// SubresourcesPos is where subresources are listed or, if they are not, the
	// version's name.
	SubresourcesPos token.Position
	// SelectableFields are JSON paths, such as .spec.color.
	SelectableFields []Placed
}

// Placed is a text and where it stands.
type Placed struct {
	Value string
	Pos   token.Position
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
