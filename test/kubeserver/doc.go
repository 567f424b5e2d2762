// Package kubeserver starts a whole kube-apiserver, the command of module test/kube, as a
// process of its own: its version of k8s.io cannot be linked with that of this module.
//
//	Server ──stdin, stdout──▶ process: kube-apiserver and etcd ◀──TLS── clients
//
// The process ends with Stop, and also if the program that started it is killed.
//
// The package does not import client-go, because a benchmark that measures the memory of
// other processes has to be smaller than these.
package kubeserver
