// Package generator generates a clientset, apply configurations, listers, informers and a factory for the kinds of Go
// packages with Kubernetes API types. It is the library behind the command informer-gen:
//
//	packages ──load──▶ input ──decide──▶ model ──render──▶ []File in memory ──write──▶ disk
//	                                                                            └────▶ a diff
//
//	generator.go       Generate: the stages in their order
//	aliases.go         Aliases: a file of aliases for a package without markers
//	options.go         Options, their validation, and the values derived from them
//	option_error.go    an error in a field of Options
//	output.go          the folders that a run writes to
//	output_pkg.go      the import path of the output folder
//	expansion.go       methods that the user has written for a client
//	result.go          Result: what changes on disk, and messages
//	internal/load      Go packages and CRDs to input
//	internal/clientgo  the client-go of the user's module
//	internal/markers   the registry of markers; lines of comments to typed values
//	internal/input     data: packages, types and CRDs, before any decision
//	internal/decide    input to the model, or errors with positions
//	internal/model     data: groups, versions, kinds and all their names
//	internal/manifest  CRDs and OpenAPI documents with positions
//	internal/gotype    questions about Go types
//	internal/applyconfig  the apply configurations of the types that kinds consist of
//	internal/merge     the schemas for structured merge
//	internal/deepcopy  the methods that copy objects
//	internal/register  what API packages lack to be registered with a scheme
//	internal/cycle     import cycles among API packages and generated ones
//	internal/render    templates to files
//	internal/write     files to disk
//
// Generate changes nothing on disk. Result.Write writes the generated files, and Result.Diff returns
// a diff. All errors in the input are reported at once. Each has its position as file:line:col, what
// is wrong, and what to write instead.
package generator
