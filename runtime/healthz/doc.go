// Package healthz reports whether the informers of a program are ready, for the probes of the
// kubelet.
package healthz
