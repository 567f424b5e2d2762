package model

// Served is what a server has to know about the resource of a kind, besides what its client needs.
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

// Scale has the JSON paths of the fields behind the subresource scale, such as .spec.replicas.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}
