package model

// Apply has the apply configurations of a run.
type Apply struct {
	// Dir is the folder in the output folder, such as applyconfiguration.
	Dir string
	// Packages are sorted by folder.
	Packages []*ApplyPackage
	// Schema describes the kinds.
	Schema *Schema
}

// ApplyPackage has the apply configurations of the types of one API package.
type ApplyPackage struct {
	// Path is the import path of the API package.
	Path string
	// Dir is the folder in Apply.Dir, such as apps/v1.
	Dir string
}
