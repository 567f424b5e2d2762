// Package naming makes UIDs and names that look random and are the same in each run of a test.
package naming

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// Names counts the names that it has made. Its zero value is ready. A copy of it can be used to go back. It is not safe
// for concurrent use.
type Names struct {
	uids, names uint64
}

// UID returns the next UID.
func (c *Names) UID() types.UID {
	c.uids++
	n := mix(c.uids)
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(n>>32), uint16(n>>16), n&0xfff, mix(n)&0xfff, c.uids))
}

// Generate completes a generateName with a suffix of five characters, until the name is not taken.
// The alphabet and the lengths are as in a kube-apiserver.
func (c *Names) Generate(base string, taken func(string) bool) string {
	const letters, suffix, longest = "bcdfghjklmnpqrstvwxz2456789", 5, 63
	if len(base) > longest-suffix {
		base = base[:longest-suffix]
	}
	for {
		n := mix(c.Number())
		name := []byte(base)
		for range suffix {
			name = append(name, letters[n%uint64(len(letters))])
			n /= uint64(len(letters))
		}
		if !taken(string(name)) {
			return string(name)
		}
	}
}

// Number returns a number that it has not returned before.
func (c *Names) Number() uint64 {
	c.names++
	return c.names
}

// mix spreads the bits of a counter, by the finalizer of SplitMix64.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
