// Package rewrite changes code for informers with the API of client-go to code for the typed informers that replace them.
//
//	packages with types ──▶ uses of the generated factory and informers ──▶ edits
//
// A handler that is a literal becomes a typed one. A stop channel becomes a context. Where an informer is used as one of client-go, an
// adapter is put around it, so that the rest of the code stays. What is not rewritten, does not compile: Problems lists it.
package rewrite
