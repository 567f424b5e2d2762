// Package faithful compares apitest, the in-memory API server of the product, with a real
// API server, answer by answer.
//
//	testdata/*.txt    scripts: requests, and the answers of the real server
//	     │
//	     ├──▶ package real, on testserver: fails if an answer is no longer the real server's;
//	     │    with -update it writes the answers
//	     │
//	     └──▶ this package, on apitest: fails if an answer differs and accepted.go does not
//	          say why, or if a difference of accepted.go no longer occurs
//
// Package kubetest plays a table of its own, and compares apitest with a whole kube-apiserver.
//
// The scripts are played on apitest three times: with kinds that have neither schemas nor Go
// types, with Go types, as the fakes of generated clientsets have them, and with the
// CustomResourceDefinitions of the real server.
//
// A script is a list of cases. A case begins with its title, and runs in a namespace of its
// own. NS in a request or in an answer stands for the name of this namespace.
//
//	=== the name is taken
//	given POST widgets
//		metadata: {name: a}
//	POST widgets
//		metadata: {name: a}
//	409
//		kind: Status
//		…
//
// A request is a method and a path. A path without a leading slash is in the group
// example.com/v1 and the namespace of the case; one that begins with ~/ is in example.com/v1
// outside of namespaces. Headers follow in lines of their own, and the body is indented by a
// tab. A body without a Content-Type is YAML, which is sent as JSON, with the kind and the
// apiVersion of the resource unless it has them. Any other body is sent as it is written.
//
// A request after the word given prepares the case: it has to succeed, and the answer is not
// written down.
//
// A request that opens a watch is answered by its status only. The line
//
//	EVENTS 2
//
// reads the events of the watch that request 2 of the case has opened, until the watch ends,
// or has an event about an object of the name end. EVENTS 2 BOOKMARK reads until a bookmark,
// and EVENTS 2 3 reads three events. A bookmark that is neither read for nor the end of the
// initial events is left out, because it may come at any time. COMPACT makes the server forget its history.
//
// In a request, $rv2, $uid2, $name2 and $continue2 stand for the resourceVersion, the UID,
// the name and the continue token in the answer to request 2; $repeat(x,1000) stands for x a
// thousand times.
//
// The comment "# in any order" after a title is for answers whose causes have no fixed order.
//
// # Answers
//
// An answer is the HTTP status, the headers that a client may depend on, and the whole body.
// Values that differ between two runs are masked:
//
//	v1, v2, …           resourceVersions of objects, numbered in their order within the case
//	v2+                 a version of a list or a bookmark: v2 is the newest before or at it
//	uid-1, uid-2, …     UIDs, numbered as they appear
//	TIME                a time that is not in a request
//	a-RANDOM            a name that generateName has made
//	TOKEN v2+ start=b   a continue token
//
// A Status is printed as Failure, without the fields that are the same in each: kind, apiVersion,
// empty metadata, status, and a code that is the HTTP status. An entry of managedFields is one
// line: manager, operation, version, subresource and fields.
//
// Some things have no order that a client could rely on, and are sorted: the entries of
// managedFields, which the server sorts by time, and in discovery the resources of a group and
// version. Of all groups only example.com is shown, because the two servers have other built-in
// groups.
package faithful
