// Package schemas compares how the in-memory API server and a real one treat custom resources: what
// they prune, default, refuse and warn of. Its tests send the same requests to both.
//
//	testdata/*.yaml     CRDs with everything that a schema may have, and with several versions
//	random_test.go      random objects, created, updated and patched
//	versions_test.go    an object in several versions
//	rules_test.go       cases in which random objects are rarely found
//
// To compare with other CRDs, name their files or folders:
//
//	go test ./faithful/schemas -run=Random -crds=DIR,DIR -objects=1000 -seed=7
package schemas
