// Package shards proves that processes of the example operator which share their work with --shards
// never work on one object at one time, and leave no object out.
//
//	churn ─────────────────────────────▶ API server ◀─── fleet: p1, p2, … with faults
//	   creates, updates, deletes              │               │
//	                                          ▼               ▼
//	at the end: state of each object ◀── informers        activity.Log ──▶ Check
//
//	activity  the record of who works on what and when, and the check
//	fleet     processes of the operator that can be killed, paused and cut off
//
// It has tests only. make test-shards runs them against a whole kube-apiserver, with the gate
// ShardedListAndWatch on and off. This needs no other binary, but has no such gate:
//
//	go test ./shards -server=testserver
//
// Without -server all tests are skipped.
package shards
