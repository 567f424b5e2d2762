// Package ledger knows which scopes of an informer hold each object of its cache. A scope is a part of a
// collection that is listed and watched on its own. Scopes may overlap, and each watch may be late by
// itself. The ledger has no I/O. Its caller, the Indexer of package cache, has the objects.
//
//	state of a scope  ─▶ Judge, Admit, Store, Hold ─▶ is it later than the cached one?
//	end in a scope    ─▶ Leave                     ─▶ has the object ended, or has it moved?
//	version           ─▶ Reach, List               ─▶ Resolve: objects that no scope has
//
//	holdings.go  the set of scopes that hold an object, as one number
//	ledger.go    scopes, and which state is later
//	records.go   objects that have left a scope
//
// An object is held by each scope that has told it and has not told its end. A scope tells everything
// up to a version, in order, but may be behind the others. So this is what follows from what a scope
// tells:
//
//   - A state replaces the cached one if its version is later, or if the same scope has told both.
//   - If no scope holds an object any more, it is "leaving": another scope may have it, and not have
//     told so yet. It stays cached until each scope that may have it has reached the version at which it
//     has left the last one. So an object that moves from one scope to another is updated, in whatever
//     order the two tell it.
//   - A scope without selectors tells the end of an object only if it was deleted. Then it ends at
//     once, and earlier states that late scopes tell of it are ignored.
//
// If a scope is listed at a version before the one that it had reached, the server was restored from a
// backup. A new era begins: what is told in it replaces what was told before, and all other scopes are
// listed again. Nothing shows that if the server has passed the version meanwhile, or if the scope was
// closed.
//
// Versions are compared as numbers (https://kep.k8s.io/5504). If versions are not numbers, the order of
// arrival counts, and an object ends when the last scope that holds it tells its end.
package ledger
