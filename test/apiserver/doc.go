// Package apiserver runs a real Kubernetes API server for CustomResourceDefinitions inside the calling
// process: k8s.io/apiextensions-apiserver, the code that serves CRDs in production, on an embedded etcd. A
// test has it in about half a second, without a cluster, a container or a downloaded binary.
//
//	      your clients            loopback client of the server's own controllers
//	           │                        │
//	           └───── plain HTTP ───────┘
//	                      ▼
//	front        a listener on 127.0.0.1; its port is kept over Restart
//	                      ▼
//	extensions   handler chain ► CRD handler ► watch cache (unless DisableWatchCache)
//	                      │ gRPC on a unix socket
//	                      ▼
//	store        etcd, data in Dir/etcd   ◄── Compact
//
// One run of the three is an instance; a Server starts the first, and Restart puts another in its place.
//
// What it promises:
//
//   - When Start or Restart returns, /readyz passes. When InstallCRDs returns, the CRDs are established,
//     listed by discovery, and answer requests in every served version.
//   - After Stop the port, the sockets, the temporary files and the goroutines are gone. A Start that fails
//     leaves none either. One exception for leak checks: a consistent read from the watch cache starts a timer
//     goroutine, cacher.(*watchCache).waitUntilFreshLocked.func2, that sleeps 3 s whatever happens.
//   - A restart loses no write that was acknowledged, and keeps the address.
//   - Several servers in one process do not disturb each other, with the exceptions named below.
//
// What it does not do:
//
//   - There is no core API: no Namespace objects (and none are needed), Events, Leases, RBAC, and no garbage
//     collection by owner.
//   - Nobody is authenticated and everything is allowed. So it listens on a loopback address only, and refuses
//     requests that name another host and those of web pages of other origins. Each user of the machine can use it.
//   - A crash of the machine may lose writes: etcd runs without fsync.
//   - Conversion webhooks are reached by URL only, since there are no Services.
//   - The server sleeps 2 s in a create that comes within 2 s of its CRD becoming established (it waits for
//     peers that do not exist here). Share one server per test package, and install CRDs early.
//
// Two things are shared by the process and not by choice. klog has one output: the first Start turns it from
// standard error to the LogOutput of the servers that run at that time, for good, so klog lines of client-go
// go there too; a logger set with klog.SetLogger takes precedence and is left alone. And the API server's
// libraries register metrics globally; the figures of several servers add up.
package apiserver
