// Package kubeserver starts a whole kube-apiserver, the command of module test/kube, as a
// process of its own: its version of k8s.io cannot be linked with that of this module.
//
//	Server ──stdin, stdout──▶ process: kube-apiserver and etcd ◀──TLS── clients
//
// The process ends with Stop, and also if the program that started it is killed.
package kubeserver
