package scoping

import (
	"maps"
	"sync/atomic"
)

// Others are all namespaces but some. More are left out while it is in use, and none comes back.
type Others struct {
	leftOut atomic.Pointer[map[string]struct{}] // the map does not change
}

// NewOthers returns all namespaces.
func NewOthers() *Others {
	o := &Others{}
	o.leftOut.Store(&map[string]struct{}{})
	return o
}

// Has reports whether a namespace is not left out. A nil pointer leaves out none.
func (o *Others) Has(namespace string) bool {
	if o == nil {
		return true
	}
	_, isLeftOut := (*o.leftOut.Load())[namespace]
	return !isLeftOut
}

// HasText is Has for the text of a name, which it does not copy.
func (o *Others) HasText(namespace []byte) bool {
	_, isLeftOut := (*o.leftOut.Load())[string(namespace)]
	return !isLeftOut
}

// LeaveOut leaves out more namespaces. One goroutine at a time may call it.
func (o *Others) LeaveOut(namespaces []string) {
	leftOut := maps.Clone(*o.leftOut.Load())
	for _, namespace := range namespaces {
		leftOut[namespace] = struct{}{}
	}
	o.leftOut.Store(&leftOut)
}
