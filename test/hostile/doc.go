// Package hostile follows a server that lies and misbehaves, over real HTTP, and checks what an informer still promises.
//
//	script ─▶ play ─▶ server ─HTTP─▶ client-go's rest client ─▶ generated factory ─▶ informer ─▶ handlers
//	           │        │                                                              │           │
//	           │        └─ truth, requests, open watches                               │           │
//	           └────────── invariants, after each second ◀──────────────────────────────┴───────────┘
//
//	collection_test.go  the truth: a collection with a history of versions
//	server_test.go      requests, what they count as, and the fault that answers them
//	list_test.go        LIST, sane and not
//	watch_test.go       WATCH and streaming lists, sane and not
//	fault_test.go       the table of faults
//	link_test.go        HTTP/1 and HTTP/2, over pipes in a synctest bubble and over sockets
//	play_test.go        a script of faults and changes, played to an informer
//	invariant_test.go   what must hold, and when
//	hostile_test.go     random plays, FuzzHostile
//	socket_test.go      plays over sockets, in real time
//	outage_test.go      ways in which a server is away, over pipes and over TCP
//	recovery_test.go    outages, and how long informers of both sides are behind after them
//	scenario_test.go    one readable scenario for each promise about odd servers
//
// It promises to notice:
//
//   - a cache, an index or a handler that differs from the truth some time after the server became sane;
//   - a history that is not legal: each UID is added once, then updated, then deleted;
//   - more than 40 requests with an error or 80 without in any minute, of a server that fails now and then;
//   - more than 32 MB of live memory above that before the play;
//   - a Status that claims Watching without an open and answered watch, or Degraded without a reason;
//   - a Shutdown that hangs, or leaves a goroutine.
//
// Time is virtual in a bubble: ten minutes of requests take milliseconds. A failing play prints its seed. Run it again
// with
//
//	go test ./hostile -run TestRandomPlays -seed=SEED
//
// and run random plays for an hour with
//
//	make hunt HUNT=1h
package hostile
