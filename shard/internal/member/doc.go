// Package member decides the next step of a member of a group: which request it sends next, and on which
// slots it may work. It has no clock, no I/O and no goroutines, so a simulation can play thousands of
// groups with lost requests, pauses and clocks that differ.
//
//	       ┌── Next: Request ──▶ API server: one Lease for each member, one Lease with the table
//	Member │                           │
//	       └◀─────── Answer ───────────┘
//	   ▲
//	   └── Begin, Done, Valid: workers     Synced: caches
//
// # What makes it safe
//
// L is the LeaseDuration, M the ClockMargin, and each clock runs at most M/L faster or slower than real time.
//
//  1. The owner of a slot is in the table, which changes only by an update with its version. So a slot
//     has one owner, a session of a member.
//  2. A session may act until L−M after the start of its last successful renewal, and of its last
//     successful read of the table, by its own clock. A session that has not renewed until then has
//     ended, also if a response comes later.
//  3. A member takes a slot from another session when that session is dead: its Lease has not changed for L+M by
//     the clock of the taker, from the response that had it first to the start of a list that still has it, and
//     the table is from the same list. If the session renews or takes a slot after that list, it has
//     ended by rule 2, or the update of the taker fails by rule 1. A Lease that does not exist, or has another
//     session, is a Lease that does not change: the session cannot renew it any more, but it may act until its time
//     is over.
//  4. A session begins after all earlier ones of the same Lease are dead, and has another name. So what is written
//     under the old name is never acted upon. If someone deletes the Lease, two sessions of one
//     identity may act for a while. By rules 1 and 3 they have different slots.
//  5. A slot that a member gives up is free in the table only when all work on it has ended. The member
//     acts on it again only after it has seen the table at another version than the one that its own update
//     was based on: an update without a response may arrive at any time, and then fails.
//  6. No slot of a new table is taken for L+M after a member has seen the table. If someone
//     deletes the table, the owners of its slots have ended by then, by rule 2.
//
// A session may act on a slot if the table that it has seen last names the session, rule 2 holds, the
// caches have the objects of the slot, and the slot is not being given up.
package member
