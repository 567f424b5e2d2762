// Command server runs a whole kube-apiserver, with its etcd, in one process, for tests and
// benchmarks. It is k8s.io/kubernetes, compiled from its Go module: it serves all built-in
// kinds, protobuf, streaming lists, RBAC, admission and CRDs.
//
//	server [flags] [-- flags of kube-apiserver]
//
//	stdin ──▶ control ──▶ store (etcd)
//	clients ──TLS──▶ kube-apiserver ──unix socket──▶ store
//
// When it is ready it prints one line of JSON, a Ready. After that it answers each line of
// its standard input with one line of JSON, a Reply; see control. It logs to standard error.
//
// It ends when its standard input closes, and so with the process that started it, and on
// SIGTERM. Then it removes its data, unless the command keep was sent. A server that is
// started with the --dir and --port of an earlier one, which has kept its data, serves them
// with the same token and certificate.
//
// There is no controller manager: nothing is deleted by owner references, a namespace is not
// emptied, and pods stay Pending. Namespaces other than default and kube-system have to be
// created first.
package main
