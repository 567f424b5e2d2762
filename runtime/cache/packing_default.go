//go:build !packeverything

package cache

// defaultPacking returns the Compression of informers without WithPacking. With the build tag packeverything, tests run with
// packed objects in all informers.
func defaultPacking() Compression { return nil }
