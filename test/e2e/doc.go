// Package e2e tests the emitted code and the runtime against the real API
// server, by the example's kinds:
//
//	clientset ─▶ apiserver ─▶ informer ─▶ handler, lister
//
// It has tests only.
package e2e
