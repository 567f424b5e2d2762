// Package shard divides the objects of collections among several processes, so that each object has one
// owner, and no two processes work on an object at one time. It coordinates the processes through Leases
// of an API server.
//
//	    Lease web: the table, slot → session    Leases web-pod-0, web-pod-1, …
//	           ▲ update with a version                ▲ renewal
//	┌─ process ┴──────────────────────────────────────┴──────────────────────────┐
//	│  Coordinator ── SetScopes: the ranges of its slots ─▶ informer ─▶ cache    │
//	│      │                                                   │                 │
//	│      │ Begin, Transport                                  ▼ events          │
//	│      └─────────▶ workers ◀── queue ◀── handler of AddEventHandler          │
//	└────────────────────────────────────────────────────────────────────────────┘
//
// The hashes of a key of the objects are divided into slots. The key is the UID, the namespace, or the UID of
// the controller. The live members share the slots evenly, by rendezvous hashing. See the README for a
// program.
//
// # What it promises
//
//   - At any moment, at most one member of a group accepts an object in Begin. Begin of the next owner
//     returns true only after the work of the last owner has ended, or has lost its right to write.
//   - A member that cannot reach the API server, or was paused, stops on its own before another one takes over.
//     The contexts of its work are canceled, and Transport refuses the writes of that work.
//   - When a slot moves between live members, the old owner finishes the work in progress. The new owner begins when
//     its caches have a list that is newer than the end of that work.
//   - A handler of AddEventHandler gets OnAdd for each object that its process comes to own. So no object
//     is missed.
//   - While members neither start nor end, and requests succeed, each object has exactly one owner.
//
// # What it relies on
//
//   - API servers check resourceVersions, and lists are not stale: both hold for Kubernetes.
//   - The clock of each process runs at most ClockMargin/LeaseDuration (10%) faster or slower than real time. The
//     clocks need not show the same time. If the steady clock stops while the machine is suspended, the wall
//     clock must be right afterwards.
//   - A write that was sent before its work lost its right arrives within twice ClockMargin. No client
//     can recall a request. For writes that must not arrive later, send the resourceVersion of the
//     object, as Update does: then the server refuses a write that is based on an earlier state.
//   - Only members change the Leases. If someone deletes or breaks the table, all members stop, and start again
//     after LeaseDuration and ClockMargin. If someone deletes the Lease of a member, its slots pause for that time,
//     even if another process takes its identity at once. Members restore a label that someone has removed, but not
//     a Lease that has lost its annotations or its holder too. After a restore of the API server from a backup, two
//     members may own an object until each has read the table.
//
// # What it does not do
//
//   - It does not fence writes that do not pass Transport, such as those to another system.
//   - It does not weigh slots. They have about equal numbers of objects if the key has many values.
//   - It does not elect a leader for work that only one process should do. Use client-go's leaderelection.
//
// The design is in docs/design/shards.md. The files:
//
//	coordinator.go  Coordinator, New, Run, Status
//	options.go      Options
//	work.go         Begin, Owns, LostError
//	transport.go    Transport
//	follow.go       Follow: the scopes of informers
//	handler.go      AddEventHandler
//	leases.go       requests to the API server
//	recovery.go     Leases that others have changed, and rights that are missing
//	slots.go        the slots of objects, and the selectors of slots
package shard
