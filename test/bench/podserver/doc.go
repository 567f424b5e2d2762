// Package podserver serves a collection of pods or of custom resources from memory, for
// benchmarks of clients: as a LIST, as a streaming list, and as a watch. Pods are JSON or protobuf, and custom resources are
// JSON.
//
// The server does as little work as possible, so that a benchmark measures the client.
// The serializers of apimachinery encode objects once, before a client asks for them, and whole bodies are byte for byte those of
// the API server. It writes them in pieces of 64 KB, and events of the same moment together.
//
// The paths below /control/ are for the benchmark: change changes objects, and send sends the events of that. The server keeps no
// history: a watch that does not begin at the newest version has expired.
package podserver
