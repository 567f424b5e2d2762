// Package faults is an HTTP proxy that spoils what an API server answers, for tests of what clients make of it.
//
//	client ──▶ Proxy ──────────────────────────▶ API server
//	             │ rule                ▲ request
//	             │  Cut, Status, Gone ─┘ never arrives
//	             │  Delay                arrives later
//	             ▼                     │ answer
//	           client ◀── Truncate, EndEarly, GoneEvent, Stall ◀──┘ arrives in part
//
//	proxy.go  Proxy: forwards, counts, cuts
//	rule.go   Rule: which requests are spoiled, and how often
//	fault.go  Fault: what becomes of an answer
//	body.go   answers that arrive in part
//
// What it promises:
//
//   - What no rule is for passes unchanged, as soon as it arrives; only compression is never asked for, so that a
//     number of bytes is a place in the JSON.
//   - A fault counts when it has struck and not before: a test that waits for the channel of Set, or reads
//     Struck, has proved that there was something to survive.
//   - When Stop has returned, the port, the connections and the goroutines are gone.
//   - A server that cannot be reached is told with 502, as gateways do.
//
// What it does not do: it speaks no HTTPS and no HTTP/2, and a rule is looked up when a request arrives, so it
// does not touch a watch that is open already. CutAll does.
package faults
