// Package scopes tests what scopes of an informer cost: goroutines, memory and connections. It has
// tests only. The server is another process, so that nothing of it counts.
package scopes
