package model

// Served has the properties of the resource of a kind that a server needs, and its client does not.
// The fake clientset tells it to its server.
type Served struct {
	// Singular is empty unless a marker sets it.
	Singular               string
	ShortNames, Categories []string
	// Status reports whether status is a subresource. It is independent of the verbs.
	Status bool
	// Scale is nil unless scale is a subresource.
	Scale *Scale
}

// Scale has the JSON paths of the fields that the subresource scale reads and writes, such as .spec.replicas.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}
