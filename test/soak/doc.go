// Command soak runs informers and a manager for half an hour against a server that is written to, cut off, restarted and compacted all
// the time. It looks each minute whether anything grows, and whether the caches are right.
//
//	another process                      │  this process
//	                                     │
//	apitest.Server ─ port, HTTP/2, TLS ──┼─▶ followers ─▶ ledgers (fast, slow, added and removed)
//	  ▲ writes   ▲ faults, cuts, 410,    │     ▲ SetScopes  │
//	  │ by others│ restarts              │     │            ▼
//	  └──────────┴─── own writes ◀───────┼─ writers, which     compared with the truth
//	                                     │  read them back
//
//	object.go    the objects, and tables of their states
//	server.go    the server, and what happens there
//	follower.go  the informers: all, ten scopes that change, a shard, a view, packed
//	manager.go   a manager with our cache: some fields, packed, of namespaces that come and go
//	ledger.go    handlers that check what they are told
//	writer.go    own writes, and what the caches have when they return
//	run.go       a run, and what it checks each minute
//	table.go     what it has measured, what counts as a drift, and the picture
//
// Each minute all writes and faults pause until each handler knows what the server has. So what is measured then is not
// what happens to be under way: the heap after two collections, goroutines and open descriptors.
//
// It fails if
//
//   - one of these differs by more than 3 % between the tenth minute and the last, or after a third of a shorter run;
//   - a list has no cause: the server has neither lost a version nor has the program set a scope;
//   - a cache, an index or a handler differs from what the server has;
//   - an own write is not in a cache when it has returned, or a version is unconfirmed, though the server never lost one;
//   - a handler hears of an object in a wrong order, or after it was removed.
//
// It writes the table to soak.txt, the figures over time to soak.svg and what the informers log to soak.log, in build/soak. It
// prints a seed, with which the same choices are made; in which order they take effect depends on the machine.
//
// Run it from the root of the repository with
//
//	make soak
//	make soak SOAK=4m ARGS="-objects=20000 -seed=47"
//
// It needs both of two processors and about 4 GB, most of it for the server. A machine that is too slow for the writes makes fewer of them, and the
// summary reports how many; with -strict, less than half of them is a failure.
package main
