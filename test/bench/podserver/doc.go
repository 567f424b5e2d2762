// Package podserver serves a collection of pods from memory, for benchmarks of
// clients: GET /api/v1/pods as a LIST, in pages, as a streaming list, and as a
// watch.
//
// It costs as little as possible, so that what is measured is the client. Pods are
// rendered once. Bodies are written in pieces of 64 KB, and events that are there
// at the same time are written together, as the API server does too. Nothing is
// compressed or encrypted.
//
// /control/ is for the benchmark: it resets the collection, changes pods, and lets
// all watches expire. There is no history: a watch that does not begin at the
// newest version has expired.
package podserver
