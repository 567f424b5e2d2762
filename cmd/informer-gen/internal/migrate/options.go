package migrate

import "io"

// Options configure Run.
type Options struct {
	// Dir is a folder of the module.
	Dir string
	// Informers is a value of the flag --informers of informer-gen. If it is empty, it is client-go for generated code that is
	// replaced, and typed in a project of kubebuilder.
	Informers string
	// ControllerRuntime sets the cache of managers instead.
	ControllerRuntime bool
	// Clone is a folder with a clone of informer-gen; empty if go.mod has one, or to use a release.
	Clone string
	// DryRun prints the plan and changes nothing.
	DryRun bool
	// Force changes a tree with uncommitted changes.
	Force bool
	// Tool is the program of informer-gen, which generates. Without it, the plan does not keep names of groups.
	Tool string
	// Out gets the plan and the report, and Log the commands while they run.
	Out, Log io.Writer
}
