package model

// DeepCopyFile is the file with the deep copies of an API package.
const DeepCopyFile = "zz_generated.deepcopy.go"

// DeepCopy has the deep copies of the types of one API package.
type DeepCopy struct {
	APIPackage
}
