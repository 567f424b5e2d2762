// Package conformance runs the same scenarios over this module's informer and
// over client-go's, so that each difference between the two is known, wanted,
// and listed in docs/design/differences.md with its reason. It holds tests only.
//
//	                     scenario (script, expected lines)
//	                         │ drives and listens
//	            ┌────────────┴─────────────┐
//	            ▼                          ▼
//	adapter of runtime/cache    adapter of client-go v0.37.2      informer
//	            │                          │
//	            └────────────┬─────────────┘
//	                         ▼ List, Watch of one typed client
//	                  server: versions, history, pages, bookmarks,
//	                          410 after compaction, failures
//
// A scenario is a script that does things to the server and to the informer and
// writes down, as lines, what handlers heard and what was asked of the server.
// Usually both informers have to give the same lines. Where they are known to
// differ, the scenario has lines for each, and a row of the same name in the table
// of differences and in docs/design/differences.md: one without the other fails,
// and so does a difference that has vanished.
//
// Each run is in a bubble of testing/synctest: time is faked, "nothing more will
// happen" is a fact and not a guess, and a goroutine that is left over fails the run.
//
// # What it does not do
//
// The server does not serve the streaming list: it refuses it as an API server
// without the feature does, and tells client-go so beforehand, as client-go's own
// fakes do. It hands over Go objects: bytes and decoding are not the subject here. Nothing
// is said about speed.
package conformance
