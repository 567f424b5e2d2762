// Package activity records which process works on which object, and finds the times at which
// two processes work on one object.
//
//	journal of each process ── Begin, End ──┐ with the clock of the machine
//	proxy of each process ──── Recorded ────┤ with the version that the server gave   ─▶ Log ─▶ Check
//	                       ├── Wrote ───────┤ with the version that the server gave
//	test ───────────────────── Paused, Killed
//
//	log.go    Log: what happened, in any order of arrival
//	check.go  Check: two independent checks of it
//
// The two checks are by the order of the server and by the clock.
//
//   - By the server: a work lasts from the record of its beginning up to the record of its end. A
//     work whose context was canceled, or whose process was killed, has no such end: it lasts up to
//     its last write that the server accepted. So a write of a paused process after another
//     process has begun is found, however late.
//   - By the clock of the machine, which all processes share: a work lasts from the return of Begin to
//     the record of its end or the call of done, or until its process was killed or paused for good. So
//     handlers that go on without a write are found too.
package activity
