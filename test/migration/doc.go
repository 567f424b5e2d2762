// Package migration has one operator twice: as a user of client-go has it, and migrated with
// docs/migrating.md. Both pass the same tests, and a test counts the lines that differ.
//
//	apis/       the API: a Foo asks for a Deployment
//	clientgo/   the operator on client-go and code-generator
//	migrated/   the operator after the migration, which a user would do in place
//	memory/     runs the operator of clientgo/ on an API server in memory, for make test-matrix
//	world.go, scenarios.go
//	            what both have to do, on apitest in this package and on a kube-apiserver in
//	            test/kubetest
package migration
