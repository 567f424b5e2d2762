package model

// RegisterFile is the file with the registration of an API package.
const RegisterFile = "zz_generated.register.go"

// APIPackage is an API package of the main module, which gets a generated file.
type APIPackage struct {
	// Path is the import path of the package, and Name its name in the package clause.
	Path, Name string
	// Dir is its folder on disk.
	Dir string
	// Private are the unexported top-level names of the package, which no import of the file may have.
	Private []string
}

// Registration is what an API package lacks to be registered with a scheme.
type Registration struct {
	APIPackage
}
