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
//	                         ▼ List, Watch or bodies
//	            ┌────────────┴─────────────┐
//	            ▼                          ▼
//	      fakeServer:                 apiServer:                  server
//	what a scenario wants      apitest over HTTP,
//	                           with and without streaming lists
//
// A scenario is a script that does things to the server and to the informer and
// writes down, as lines, what handlers heard and what was asked of the server.
// Usually both informers have to give the same lines. Where they are known to
// differ, the scenario has lines for each, and a row of the same name in the table
// of differences and in docs/design/differences.md: one without the other fails,
// and so does a difference that has vanished.
//
// Each scenario has the same lines with both servers, down to the versions. The fake one is there for
// what no API server does, such as an event that no state stands behind; the field lies of a scenario
// says so. A scenario with overHTTP is not for the fake one, which has no REST client. The client of the other one is client-go's metadata client, so requests, JSON and Status
// errors are those of a program.
//
// Each run is in a bubble of testing/synctest: time is faked, "nothing more will
// happen" is a fact and not a guess, and a goroutine that is left over fails the run.
//
// # What it does not do
//
// The fake server has no streaming lists, and apiServer in one of its runs: they refuse them as an API server
// without the feature does, and tell client-go so beforehand, as client-go's own
// fakes do. Nothing is said about speed.
package conformance
