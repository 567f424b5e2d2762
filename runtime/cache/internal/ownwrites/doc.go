// Package ownwrites keeps the writes of this program that a watch has not confirmed yet. It
// decides what a response to a write, an event and a list mean for the cache, so that no
// order of them loses a state or shows an older one after a newer one. Writes is the Feature of an informer, and a Table has
// the state of one scope. Neither has I/O or goroutines.
//
//	response ─▶ Offer, End ─▶ what to do with the cache, and an entry
//	event    ─▶ Admit      ─▶ is it news? It ends the entry of its object
//	list     ─▶ Replace    ─▶ the list with the writes that it does not have
//	version  ─▶ Reach      ─▶ entries that the watch has passed end
//	bookmark ─▶ Bookmarks  ─▶ entries that the watch should have passed by now
//
// A response may be of another server, or forged. So an entry keeps the state that lists and the watch report for the name, and
// the cache gets that back if the watch does not confirm the entry.
//
// Three facts decide (https://kep.k8s.io/5504 and the API conventions). Versions of the objects of
// one resource can be compared. A deleted UID never returns, unless the server was
// restored from a backup. A list that asks for the newest version has each write that was answered
// before the list was requested.
package ownwrites
