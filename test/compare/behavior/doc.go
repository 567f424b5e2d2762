// Package behavior calls the functions of two packages of apply configurations with equal
// arguments, and reports where the results differ:
//
//	With functions  each twice, in a random order, then the fields of both receivers
//	Get functions   before and after that, the result, and that the receiver stays as it is
//	nil arguments   the panic
//	constructors    the fields of the result
//	ForKind         the type of the result
//
// Package compare has compared the types before, so only types that both sides have are called.
// It compares Go values and not JSON: a nil list differs from an empty list.
package behavior
