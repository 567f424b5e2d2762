// Package project makes modules as users have them, in which both generators can
// be run: informer-gen, and applyconfiguration-gen, client-gen, lister-gen and informer-gen
// of k8s.io/code-generator, with the flags that its kube_codegen.sh would give them.
//
//	DIR/go.mod, go.sum        those of the test module, or of a version of Kubernetes, under another name
//	DIR/pkg/apis/             the types, if they are not those of a dependency
//	DIR/applyconfiguration/   apply configurations, if both sides use the same
//	DIR/ours/, DIR/theirs/    clientset/, listers/ and informers/ of each side, and applyconfiguration/
//	                          if each side generates its own
//	DIR/clientgo/             ours again, with --informers=client-go
//
// The comparison and the benchmark use it.
package project
