//go:build packeverything

package history

import "reflect"

// identical reports whether two objects are one state. Each reader of a packed object has a Go value of its own.
func identical(a, b any) bool { return reflect.DeepEqual(a, b) }
