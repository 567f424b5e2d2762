// Package apply has what --apply-configuration-package needs and makes:
//
//	api                 kinds with Apply, with a method for a subresource, and without a list
//	applyconfiguration  what applyconfiguration-gen would write for them, in short
//	generated           what comes out, with --prefers-protobuf, which one of two kinds has
package apply
