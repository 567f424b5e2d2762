// Package podserver serves a collection of pods or of custom resources from memory, for
// benchmarks of clients: as a LIST, in pages, as a streaming list, and as a watch. Pods
// are JSON or protobuf, as the Accept header asks, and custom resources are JSON.
//
// The server does as little work as possible, so that a benchmark measures the client.
// The serializers of apimachinery render objects once, and the server puts them into
// bodies that are byte for byte those of the API server. It writes them in pieces of
// 64 KB, and events of the same moment together. It compresses bodies only if it is asked
// to, like an API server of v1.37, and each list once.
//
// The paths below /control/ are for the benchmark: they reset the collection, change
// objects, and expire all watches. The server keeps no history: a watch that does not
// begin at the newest version has expired.
package podserver
