// Package generator generates a clientset, apply configurations, listers, informers and a factory for the kinds of Go
// packages with Kubernetes API types. It is the library behind the command informer-gen:
//
//	packages ──load──▶ input ──decide──▶ model ──render──▶ files in memory ──write──▶ disk, or a diff
//
//	generator.go  Generate: the stages in this order
//	aliases.go    Aliases: a file of aliases for a package without markers
//	options.go    Options and their validation; run.go derives an input.Run from them
//	check.go      decisions and plans that Generate refuses
//	output.go     the folders that a run writes to
//	result.go     Result: the changes on disk, and messages; report.go makes the messages
//
// The stages are packages, and each has its rooms:
//
//	internal/load      Go packages and CRDs to input
//	  golist           questions to the go command
//	  syntax           files to declarations
//	  describe         declarations to input
//	  typecheck        answers to questions that the syntax leaves open; the types that kinds consist of
//	  clientgo         the client-go of the user's module
//	  manifest         CRDs with positions
//	internal/decide    input to the model, or errors with positions
//	  applyconfig      the apply configurations of the types that kinds consist of
//	  merge            the schemas for structured merge
//	  deepcopy         the methods that copy objects
//	  register         the declarations that API packages lack to be registered with a scheme
//	internal/render    the model to files, by the templates
//	internal/cycle     import cycles among API packages and generated ones
//	internal/write     files to disk
//
// They share data: internal/input has packages, types and CRDs before any decision, and input.Run describes the run.
// internal/model has groups, versions, kinds and all their names. internal/markers parses markers, and internal/gotype answers
// questions about Go types.
//
// Generate changes nothing on disk. Result.Write writes the generated files, and Result.Diff returns
// a diff. All errors in the input are reported at once. Each has its position as file:line:col, the
// mistake, and its fix.
package generator
