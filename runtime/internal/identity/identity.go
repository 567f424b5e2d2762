// Package identity compares pointers to objects of a type parameter.
//
// It is the reason why the constraint of the runtime's types does not embed comparable: the compiler then
// shares the code of all pointer types. With comparable it compiles the runtime again for each kind, which
// is 4 MB of object code and a second of compile time, and more than 100 kB of a binary.
package identity

// Same reports whether a and b are the same pointer. They may be interfaces that hold pointers.
func Same[T any](a, b T) bool { return any(a) == any(b) }

// IsNil reports whether obj is nil.
func IsNil[T any](obj T) bool {
	var none T
	return any(obj) == any(none)
}
