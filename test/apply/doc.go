// Package apply tests generated apply configurations as a program uses them. The kinds
// are in api, and their CRDs are made from the Go types by controller-gen.
//
//	types ─▶ informer-gen ─▶ apply configurations ──▶ clientset.Apply ──▶ server
//	  │                          ▲                                         │
//	  └────▶ controller-gen      └───────────────── Extract ◀──────────────┘
//	              └─▶ CRD ─▶ server
//
// Each scenario runs on the code of a real API server, on the generated fake, whose
// server knows only the generated code, and on the fake with the CRDs. So the schema
// in the generated code has to be the one that the API server makes of the CRD.
//
// The package has tests only.
package apply
