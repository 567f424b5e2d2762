// Package schemas compares how the in-memory API server and a real one treat custom resources: what
// they prune, default, refuse and warn of. Its tests send the same requests to both.
//
//	testdata/*.yaml      CRDs with everything that a schema may have, and with several versions
//	random_test.go       objects of generator_test.go are created, updated, patched and applied
//	cases_test.go        requests that random objects rarely make
//	stricter_test.go     stored objects that a new schema refuses
//	servers_test.go      both servers, and what their answers have in common
//
// To compare with other CRDs, name their files or folders:
//
//	go test ./faithful/schemas -run=Random -crds=DIR,DIR -objects=1000 -seed=7
package schemas
