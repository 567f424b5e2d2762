// Package generator makes a clientset, listers, informers and a factory of Go
// packages with Kubernetes API types. The command informer-gen runs it:
//
//	packages ──load──▶ input ──decide──▶ model ──render──▶ []File in memory ──write──▶ disk
//	                                                                            └────▶ a diff
//
//	generator.go   Generate: the stages, in their order
//	options.go     Options, and what is derived of them
//	output_pkg.go  the import path of the output folder
//	internal/load      Go packages and CRDs to input
//	internal/markers   the registry of markers; lines of comments to typed values
//	internal/input     data: packages, types and CRDs, before any decision
//	internal/decide    input to the model, or errors with positions
//	internal/model     data: groups, versions, kinds and all their names
//	internal/spelling  the word that was probably meant
//	internal/render    templates to files
//	internal/write     files to disk
//
// Generate changes nothing on disk: it returns what it would write. Result.Write
// writes it, and Result.Diff shows it. Mistakes in the input come all together,
// each with file:line:col, what is wrong, and what to write instead.
package generator
