// Package v1alpha1 has the shape of the API of k8s.io/sample-controller: the same
// kind with the same fields and markers, written anew. Much that people generate
// began as a copy of that project.
//
// +k8s:deepcopy-gen=package
// +groupName=samplecontroller.k8s.io
package v1alpha1
