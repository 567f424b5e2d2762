// Package memory has benchmarks of informers without a network. Both sides get the same prepared objects from the same source
// in memory, and do the same work:
//
//	workload ──▶ source ──▶ informer of a side ──▶ counters
//	(objects,     (list,          │
//	 updates)     watch)          └──▶ reads
//
//	go test -run='^$' -bench=. -objects=10000,100000 ./bench/memory | tee memory.txt
//	benchstat -col /side memory.txt
//
// Only ours_test.go and theirs_test.go differ between the sides.
//
//   - The objects are the same pods. They exist before the measurement, in the order in which an
//     API server lists them. Both sides store the same Go values. A namespace has 1,000 of them
//     and a node has 200, for any number of objects.
//   - The source of both sides is a typed client. It returns a PodList with the items in one
//     array, of which both sides copy each item, and a watch.Interface, whose channel has a buffer
//     of 1,024 events. In Events/room=0 it has no buffer, like that of client-go's REST client, so
//     both sides wait for each event.
//   - Indexes: the two indexes are by namespace and by node. Our cache always has the index by
//     namespace. So with indexes=0 it has one index, and client-go has none. The one allocation per
//     event is that of the index function, which returns a slice.
//   - Events are updates, as fast as the informer takes them, until each handler has received the
//     last one. They change no value of an index. They are for 1,000 objects from all parts of the
//     collection, one after the other. With among=all they are for all objects. These mostly wait
//     for memory, because the objects are not in the cache of the processor. In DeletesAndAdds each
//     event changes every index.
//   - Get gets the same 1,000 objects, or all objects in turn, in all processors, and reads their
//     names.
//   - Cache is the growth of the heap when a cache with two indexes is filled with objects that
//     already exist. cpu-sec/gc is the CPU time of a garbage collection with the cache, less that
//     of one without it. These objects have only a name, a namespace and a node, because the
//     collector's work for whole pods would hide its work for the cache. A difference below 10 ns
//     per object cannot be measured, and counts as 10 ns. It is not measured with fewer than
//     100,000 objects.
//   - A lone event is sent half a millisecond after the handler has received the one before.
//     LoneEvent/listing has a reader that lists all objects again and again, at most once in
//     100 ns times the number of objects, such as 10 ms for 100,000. The next event waits for the
//     one before, so a long delay counts only once.
//   - Checks: each handler has to receive each event, and each query has to return the expected
//     number of objects. After the events, each cache is read through every index, and compared
//     with the sent objects, including their versions.
package memory
