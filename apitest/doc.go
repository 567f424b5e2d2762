// Package apitest is an in-memory Kubernetes API server for tests, behind [http.RoundTripper].
//
// Clients of all sorts use it through their real code: generated and dynamic ones, those of
// client-go for built-in kinds, discovery, metadata and controller-runtime. They share the objects
// of the server.
//
//	server := apitest.Start(t, apitest.WithKinds(widget))
//	config := &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
//
// The function NewClientset of a generated package fake does this, with the kinds of the package.
//
// # From a request to an answer
//
//	RoundTrip ─▶ Parse ──▶ reactors ──▶ faults ─▶ Proceed ─▶ verbs ──▶ Respond
//	             (URL,     (Transport)  (On)         │       (create, update, …)
//	              verb)                              ▼            │
//	                                               watch ◀── history (versions, events)
//
// The packages in internal are the parts of the drawing: serve has requests, bodies and responses, reactors
// and watch what their names say, rest the verbs and what follows from them, kinds what the server
// knows of its kinds. A deletion, for example, is decided in rest/delete.go.
//
// A verb holds the lock of the server. Objects are maps, and are not written to once they are
// stored, so encoding needs no lock. The server has no goroutine: the body of a watch waits in
// Read, and the garbage collector and the namespaces' controller run before the request returns
// that gave them work. So the server runs in a bubble of [testing/synctest], and a test leaks
// nothing. While a request or a watch of one bubble waits, the server cannot be used in another
// bubble or outside of it.
//
// # What it promises
//
//   - Answers are as from a kube-apiserver: status codes, Status bodies, warnings, versions,
//     generations, managed fields. A test plays more than 1,500 requests to both, and lists the
//     differences with their reasons.
//   - The same requests in the same order give the same names, UIDs and versions.
//   - Faults come only where the test asks for them.
//
// # What it does not have
//
//   - Defaults and validation of built-in kinds, and their controllers: a Deployment gets no Pods, and no
//     kubelet stops a deleted Pod. A test ends it by a deletion with gracePeriodSeconds 0.
//   - All that subresources of built-in kinds do: an eviction ignores PodDisruptionBudgets, a binding sets only the node,
//     ephemeralcontainers and resize store the whole pod, and a write of a status changes no metadata.
//   - Events of events.k8s.io among those of the core group, and the reverse.
//   - Users and permissions: a test asks for a 403 by [Server.On].
//   - Schemas of custom resources, unless a Kind has one: module apiextensions makes them of
//     CustomResourceDefinitions. OpenAPI documents have other kinds without their fields.
//   - Shards: it ignores shardSelector, as a kube-apiserver does unless its feature gate
//     ShardedListAndWatch is on. An informer with a shard leaves out the other objects itself.
//   - Tables: a request for one gets 406.
//   - Conversion between versions other than a change of apiVersion, admission webhooks, and
//     connections to pods.
package apitest
