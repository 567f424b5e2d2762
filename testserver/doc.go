// Package testserver runs a real Kubernetes API server inside the calling process, for the tests of operators. It
// starts in about a quarter of a second, without a cluster, a container or a downloaded binary.
//
//	func TestReconcile(t *testing.T) {
//		server := testserver.Start(t, testserver.WithCRDs("../config/crd"))
//		client, err := versioned.NewForConfig(server.Config())
//		…
//	}
//
// Custom resources are served by k8s.io/apiextensions-apiserver, the code that serves them in production, on an
// embedded etcd. Namespaces, Events, Leases, and the kinds of WithBuiltIn are kept by the same storage code.
//
//	      your clients            loopback client of the server's own controllers
//	           │                        │
//	           └───── plain HTTP ───────┘
//	                      ▼
//	front        a listener on 127.0.0.1; its port is kept over Restart
//	                      ▼
//	extensions   handler chain ► CRD handler, builtin ► watch cache (unless WithoutWatchCache)
//	                      │ gRPC on a unix socket
//	                      ▼
//	store        etcd, data in WithDir/etcd   ◄── Compact
//
// One run of the three is an instance. A Server starts the first, and Restart replaces it by another.
//
// What it promises:
//
//   - When Start, New or Restart returns, /readyz passes, and the namespaces default, kube-system, kube-public and
//     kube-node-lease exist. So does the Service kubernetes, if Services are served.
//   - When InstallCRDs returns, the CRDs are established, listed by discovery, and answer requests in every served
//     version.
//   - When a write of a webhook configuration returns, it holds for the next write.
//   - After Stop the port, the sockets, the temporary files and the goroutines are gone. A start that fails
//     leaves none either. One exception for leak checks: a consistent read from the watch cache starts a timer
//     goroutine, cacher.(*watchCache).waitUntilFreshLocked.func2, that sleeps 3 s whatever happens.
//   - A restart loses no write that was acknowledged, and keeps the address.
//   - Several servers in one process do not disturb each other, with the exceptions named below.
//
// What it does not do:
//
//   - No kubelet runs. A deleted Pod on a node stays until a deletion with the grace period 0, as kubelets send it, or
//     until its namespace is deleted.
//   - No controllers run besides those of CRDs and the one that deletes the contents of a deleted namespace. So
//     there is no garbage collection by owner, a foreground deletion never ends, and a Deployment gets no Pods.
//   - A namespace does not have to exist for objects to be created in it, unless WithNamespaceLifecycle is given.
//   - Built-in kinds have no validation beyond metadata, and no subresource besides status. The common kinds have the
//     defaults of kube-apiserver. What it allocates or calculates is missing, such as the clusterIP of a Service.
//   - No one is authenticated and everything is allowed. So it listens on a loopback address only, and refuses
//     requests that name another host and those of web pages of other origins. Each user of the machine can use it.
//   - A crash of the machine may lose writes, because etcd runs without fsync.
//   - Webhooks are reached by URL only, and admission policies are not evaluated. Admission webhooks are called if
//     WithBuiltIn has their kind of configuration.
//
// Two things are shared by all servers of a process. klog has one output: the first start turns it from
// standard error to the WithLog of the servers that run at that time, for good, so klog lines of client-go
// go there too. A logger set with klog.SetLogger takes precedence and is left alone. And the API server's
// libraries register metrics globally, so the figures of several servers add up.
//
// One log cannot be redirected: the client of etcd in the API server's libraries writes its warnings to standard error,
// such as that a request was canceled because the server stopped.
package testserver
