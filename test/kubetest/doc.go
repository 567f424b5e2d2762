// Package kubetest tests the runtime and the emitted code against a whole kube-apiserver:
// with built-in kinds, RBAC, expired versions and custom resources.
//
//	client-go ─▶ kube-apiserver (kubeserver) ─▶ informer ─▶ handler, cache
//
// It also runs controller-runtime's own tests, and a kubebuilder project, with
// controller-runtime's cache and with ours:
//
//	client-go ─▶ kube-apiserver ─▶ cache of either kind ─▶ controllers, specs
//
// And it compares apitest with a kube-apiserver, by a table of requests with the types of meta.k8s.io:
//
//	table ─▶ faithful.Play ─▶ kube-apiserver, apitest ─▶ faithful.Differences ─▶ faithful.Accepted
//
// It has tests only. They are skipped without the file of the server, which make test-kube
// builds:
//
//	go test ./kubetest -server=../../build/bin/kube-server
package kubetest
