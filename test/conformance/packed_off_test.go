//go:build !packeverything

package conformance

// packsEverything is set if all of our informers have packed objects.
const packsEverything = false

// isState reports whether two objects are one state: the same Go value, because no one copies the objects of a cache.
func isState(a, b object) bool { return a == b }
