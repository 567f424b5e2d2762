// Package fleet runs processes of the example operator that share its work with --shards, each
// with a connection of its own to the API server, for tests and for a demo.
//
//	operator p1 ─▶ faults.Proxy ─▶ recorder ─┐
//	operator p2 ─▶ faults.Proxy ─▶ recorder ─┼─▶ API server
//	operator p3 ─▶ faults.Proxy ─▶ recorder ─┘
//	  │ journal                        │ versions of writes
//	  └──────────▶ activity.Log ◀──────┘
//
//	fleet.go     Fleet: builds the operator, starts and stops all
//	member.go    Member: one process, which can be killed, paused and cut off
//	owned.go     how many databases a process owns
//	recorder.go  the versions that the server gives to what a process writes
//	journal.go   what a process notes about its work, with the time of the machine
//
// A process that is built with Options.Overlay keeps a journal. See testdata/record.go of package
// shards, which is the only difference to the operator as it is.
package fleet
