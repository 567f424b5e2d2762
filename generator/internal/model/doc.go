// Package model describes the generated code: the groups, versions and kinds, and every name that
// is derived from them. It is data. It parses nothing, decides nothing, and imports no other stage:
//
//	load ──input──▶ decide ──model.Set──▶ render
//
//	set.go        Set: all of it
//	group.go      Group, GroupVersion, Package
//	kind.go       Kind, View, and the form of a list type
//	method.go     Verb, Method, TypeRef
//	served.go     Served: properties of a kind on a server
//	field.go      Index, SelectableField, and the Field that they read
//	apply.go      apply configurations, and Go types as code
//	schema.go     Schema: how the fields of kinds are merged
//	copy.go       deep copies
//	registration.go  the registration of an API package
//	layout.go     Layout: the folders of the emitted packages
//	reserved.go   Reserved: names of the templates, which no name from the input may be
//	wire_name.go  which names a server accepts
//	errors.go     Error: a mistake in the input, with its position
//
// No later stage derives a name again. A resource that is derived twice may get two names.
package model
