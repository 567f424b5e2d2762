package model

// DeepCopyFile is the file with the deep copies of an API package.
const DeepCopyFile = "zz_generated.deepcopy.go"

// DeepCopy has the deep copies of the types of one API package.
type DeepCopy struct {
	APIPackage
	// Constraint is the build constraint of the files with the types, without //go:build, or "".
	Constraint string
	// Types are sorted by name.
	Types []*CopiedType
}

// CopiedType is a type that gets methods for copying.
type CopiedType struct {
	Name string
	// TypeParams are the names of the type parameters in the receivers. A generic type has them, and then the user
	// has written one of the methods.
	TypeParams []string
	// IsReference reports whether the type is a map or a slice, whose methods have no pointer receivers.
	IsReference bool
	// Into is the body of DeepCopyInto. It is nil if the user has written the method.
	Into *Copy
	// NeedsDeepCopy reports whether the type has no method DeepCopy.
	NeedsDeepCopy bool
	// Interfaces are the interfaces that methods such as DeepCopyObject return, sorted by method.
	Interfaces []CopiedInterface
}

// CopiedInterface is an interface that a copy is returned as.
type CopiedInterface struct {
	Interface TypeRef
	// ByValue reports whether the method has no pointer receiver, and returns no pointer.
	ByValue bool
}

// Copy is how a value becomes a deep copy of another one, after it was assigned the other one. A nil Copy
// needs nothing, because the values refer to no memory.
type Copy struct {
	Op CopyOp
	// Method is the name of the method for CopyByCall.
	Method string
	// Guarded reports whether a call is left out for nil.
	Guarded bool
	// Indirect reports whether a method cannot be selected through a pointer: for CopyByCall, because the
	// value is a pointer or an interface; for CopyPointer, because the pointer's type has a name.
	Indirect bool
	// Type is the type of a map.
	Type GoType
	// Fields are for CopyFields.
	Fields []CopiedField
	// Elem is how the elements of a slice, an array or a map are copied, or the value that a pointer points
	// to.
	Elem *Copy
}

// CopiedField is a field of a struct that needs a copy.
type CopiedField struct {
	Name string
	Copy *Copy
}

// CopyOp is the operation of a Copy.
type CopyOp int

const (
	// CopyFields copies fields of a struct.
	CopyFields CopyOp = iota
	// CopyInto calls DeepCopyInto.
	CopyInto
	// CopyByCall calls a method that returns the copy.
	CopyByCall
	// CopyByPointer calls DeepCopy, which returns a pointer to the copy.
	CopyByPointer
	// CopySlice, CopyArray, CopyMap and CopyPointer copy the elements.
	CopySlice
	CopyArray
	CopyMap
	CopyPointer
)
