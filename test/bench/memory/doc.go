// Package memory measures the two runtimes without a network: the same objects,
// made before, the same source in memory, the same work. One process measures one
// side.
//
//	workload ──▶ source ──▶ informer of a side ──▶ counters
//	(objects,     (list,          │
//	 updates)     watch)          └──▶ reads
//
//	workload.go  the objects, their updates and the index functions
//	source.go    where informers read from
//	side.go      what is asked of a side; ours.go and theirs.go answer
//	counter.go   the handlers
//	figures.go   what is reported, and how it is measured
//	sync.go, heap.go, idle.go, reads.go, events.go, latency.go   the rows
//
// What is read is digested, so that the benchmark can see that both sides read the
// same.
package memory
