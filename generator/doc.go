// Package generator makes a clientset, listers, informers and a factory of Go
// packages with Kubernetes API types. It is what the command informer-gen runs:
//
//	packages ──load──▶ model ──render──▶ []File in memory ──write──▶ disk
//	                                                           └────▶ a diff
//
//	generator.go   Generate: the stages, in their order
//	options.go     Options: what they must be, and what is derived from them
//	option_error.go  a mistake in a field of Options
//	output_pkg.go  the import path of the output folder
//	internal/load    Go packages and their markers
//	internal/model   decisions and names
//	internal/render  templates to files
//	internal/write   files to disk
//
// Generate changes nothing on disk: it returns what it would write. Result.Write
// writes it, and Result.Diff shows it. Mistakes in the input come all together,
// each with file:line:col, what is wrong, and what to write instead.
package generator
