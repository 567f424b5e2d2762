//go:build packeverything

package conformance

import "reflect"

// packsEverything is set if all of our informers have packed objects.
const packsEverything = true

// isState reports whether two objects are one state. Each reader of a packed object has a Go value of its own.
func isState(a, b object) bool { return reflect.DeepEqual(a, b) }
