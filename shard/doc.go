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
// the controller. Each live member should have as many slots as the others, and which ones follows
// from rendezvous hashing. See the README for a program.
//
// # What it promises
//
//   - Of all members of a group, at most one accepts an object in Begin at any moment, and Begin of
//     the next one returns true only after the work of the last one has ended, or has lost its right to write.
//   - A member that cannot reach the API server, or was paused, stops on its own before another one takes over.
//     The contexts of its work are canceled, and Transport refuses the writes of that work.
//   - When a slot moves between live members, the old owner finishes the work in progress. The new owner begins when
//     its caches have a list that is newer than the end of that work.
//   - A handler of AddEventHandler gets OnAdd for each object that its process comes to own. So no object
//     is forgotten.
//   - When no member comes or goes, and requests succeed, each object has exactly one owner.
//
// # What it relies on
//
//   - API servers check resourceVersions, and lists are not stale: both hold for Kubernetes.
//   - The clock of each process runs at most ClockMargin/LeaseDuration (10%) faster or slower than real time. What it
//     shows does not matter. If the steady clock stands still while the machine is suspended, the wall
//     clock has to be right afterwards.
//   - A write that was sent before its work lost its right arrives within twice ClockMargin. No client
//     can call a request back. For writes that must not come later than that, send the resourceVersion of the
//     object, as Update does: then the server refuses a write that is based on an earlier state.
//   - Only members change the Leases. If someone deletes the table, or breaks it, all members stop, and begin again after
//     LeaseDuration and ClockMargin. If someone deletes the Lease of a member, its slots pause for that time, also if another
//     process takes its identity at once. Members add a label that someone has removed. After a
//     restore of the API server from a backup, two members may own an object until each has read the table.
//
// # What it does not do
//
//   - It does not fence writes that do not pass Transport, such as those to another system.
//   - It does not weigh slots: they have about as many objects as the others if the key has many values.
//   - It does not elect a leader for work that only one process should do; use client-go's leaderelection.
//
// The design is in docs/design/shards.md. The files:
//
//	coordinator.go  Coordinator, New, Run, Status
//	options.go      Options
//	work.go         Begin, Owns, LostError
//	transport.go    Transport
//	follow.go       Follow: the scopes of informers
//	parts.go        which slots one list and watch has
//	handler.go      AddEventHandler
//	leases.go       requests to the API server
//	recovery.go     what others did to the Leases, and rights that are missing
//	slots.go        from objects to slots, from slots to selectors
package shard
