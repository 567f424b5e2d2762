// Package podserver serves a collection of pods from memory, for benchmarks of clients:
// GET /api/v1/pods as a LIST, in pages, as a streaming list, and as a watch.
//
// The server does as little work as possible, so that a benchmark measures the client.
// It renders pods once. It writes bodies in pieces of 64 KB, and events of the same
// moment together, as the API server does. It neither compresses nor encrypts.
//
// The paths below /control/ are for the benchmark: they reset the collection, change
// pods, and expire all watches. The server keeps no history: a watch that does not begin
// at the newest version has expired.
package podserver
