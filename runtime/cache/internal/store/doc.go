// Package store holds the objects of one kind in memory, finds them by name and by the
// values of indexes, and gives readers snapshots of them. Its caller, package
// indexer, has the deltas, the notifications and the index functions.
//
//	 name ──hash──▶ names    [ ·  5f2b│17  ·  0c7d│3  … ]      8 bytes an entry, no copy of a name
//	                                  │
//	                                  ▼ slot
//	 fingerprints   [ 9c41…  │ 07e2… │ … ]                     8 bytes an object
//	 objects        [ chunk 0 │ chunk 1 │ … ] ─▶ 128 pointers each; slots 0 to n-1 have no holes
//	                                  ▲ slot
//	 index "node"   lists  "node-7" ─▶ [ 3, 17, 4 ]            4 bytes an object
//	                refs     17 ─▶ ("node-7", 1)               8 bytes an object
//
//	store.go         Store: what readers call
//	write.go         what the one writer calls: Entry, Match, Begin, Put, Remove, End
//	marks.go         the objects that a relist keeps
//	chunks.go        objects in slots, and snapshots of them
//	names.go         the slot of an object by its name
//	fingerprints.go  which of the slots of a hash has a name
//	index.go         slots by the values of an index
//	slots.go         the objects in the form of their Go type
//	walk.go          the objects of a snapshot, one after the other
//	form.go          the Go type of the objects, and why Get needs no lock
//	keeper.go        objects that are not kept as Go values
//
// Readers may be in any goroutine. The caller serializes writers. The writer prepares entries
// while readers continue, and stores them between Begin and End. A reader sees all of that or
// nothing, except for Get, which reads single objects in between.
//
// Get takes no lock, unless a write moves objects meanwhile, or the Go type is an interface
// type. The other readers take the read lock. Those with a large result, and
// ranges, hold it only to take a snapshot: the writer then copies each chunk before it
// first changes it. docs/design/store.md has the reasons and the costs.
package store
