// Package apiextensions makes the in-memory API server of package apitest serve custom resources as their CRDs
// say:
//
//	server := apitest.Start(t, apiextensions.WithCRDs("../config/crd/bases"))
//
// A request passes through it as through an API server. What a CRD says is in the middle:
//
//	body ──▶ Prune ──▶ Default ──▶ managed fields ──▶ Validate ──▶ Store ──▶ history
//	         unknown fields,       types of            schema, lists,  the storage version,
//	         nulls, embedded       the schema          scale, CEL      once more defaults
//	         objects
//
//	manifest.go     files, and the CRDs in them
//	definition.go   a CRD that an API server accepts
//	kind.go         WithCRDs and Kinds: versions as kinds of the server
//	version.go      one version: what it prunes and defaults, and how it is stored
//	validate.go     what is wrong with an object
//	converter.go    the types by which server-side apply merges
//
// # What it promises
//
// The rules of schemas are not written again here: this package calls k8s.io/apiextensions-apiserver, which is the
// code of an API server. So errors, defaults and warnings are as in the version in go.mod. A test sends the same
// random requests to both servers, and compares the answers: test/faithful/schemas.
//
// A CRD that an API server refuses is an error. Schemas and the rules in them are compiled once for each process,
// also if each test starts a server of its own. Nothing is left when the test ends: there is no goroutine.
//
// # What it does not do
//
// It calls no conversion webhooks. A CRD with a webhook and several served versions is an error; without a webhook,
// versions are converted as an API server does. CRDs themselves are not among the objects of the server: to add one
// while the server runs, give Kinds to [apitest.Server.AddKinds].
package apiextensions
