package model

// Registration is what an API package lacks to be registered with a scheme.
type Registration struct {
	// Path is the import path of the package, and Dir its folder on disk.
	Path, Dir string
}
