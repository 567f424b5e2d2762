package model

// DeepCopy has the deep copies of the types of one API package.
type DeepCopy struct {
	// Path is the import path of the package, and Dir its folder on disk.
	Path, Dir string
}
