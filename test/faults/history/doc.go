// Package history checks what an informer tells a handler.
//
//	informer ─▶ Recorder ─▶ Faults   what no legal history has
//	               │
//	               ├─▶ Known         what a handler must believe there is
//	               └─▶ Await         until that is what the server has
//
// It promises to notice, of each object: an add of what is known, an update or a delete of what is not, a state that
// is not later than the one before, also of a successor of the same name; an old state that is not the one told
// before; a cache that is behind its handler; an initial add after other events; a call after the handler was removed.
//
// It does not do resyncs: an update without a later version is a fault here.
package history
