// Package sharding divides the objects of a collection among processes by a hash, as KEP-5866
// (https://kep.k8s.io/5866) defines it for ListOptions.ShardSelector: FNV-1a, 64 bits, of the UID or
// of the namespace of an object. A Selector selects the objects whose hash is in one of its ranges.
//
//	half, err := sharding.Parse("shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')")
//	shards := sharding.Split(sharding.UID, 4) // four Selectors, of which each object is in one
package sharding

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Key is the value of an object that is hashed.
type Key string

const (
	// UID hashes the UID, which spreads the objects of a kind evenly.
	UID Key = "object.metadata.uid"
	// Namespace hashes the namespace as servers do: the objects of a namespace are in one shard. All
	// cluster-scoped objects have the same hash. Names that differ only in their last two characters, such
	// as team-01 and team-02, have nearly equal hashes, so they are in one shard; see SpreadNamespace.
	Namespace Key = "object.metadata.namespace"
	// SpreadNamespace is Namespace with an even spread of all names. No server knows this key, so only
	// the client filters.
	SpreadNamespace Key = "object.metadata.namespace.spread"
	// Owner hashes the UID of the controller in the owner references. It hashes the UID of an object
	// without a controller. So the direct children of an object are in its shard. No server knows this
	// key, so only the client filters.
	Owner Key = "object.metadata.controller.uid"
)

// OnServers reports whether some servers know the key. Only the client filters by other keys.
func (k Key) OnServers() bool { return k == UID || k == Namespace }

// ByNamespace reports whether the key is the namespace of an object.
func (k Key) ByNamespace() bool { return k == Namespace || k == SpreadNamespace }

// HashOf returns the hash of the value that a key takes from an object: its Hash, except for SpreadNamespace.
func HashOf[S string | []byte](key Key, value S) uint64 {
	h := Hash(value)
	if key == SpreadNamespace {
		h = Mix(h)
	}
	return h
}

// Range is a range of hashes from First to Last, both included.
type Range struct{ First, Last uint64 }

// Selector selects the objects whose hash is in one of some ranges. The zero value selects all
// objects. A Selector is immutable.
type Selector struct {
	key Key
	// ranges are sorted, and neither overlap nor touch each other.
	ranges []Range
}

// New returns the Selector of some ranges, in any order. It joins ranges that touch. The error names a
// range that is empty, or two that overlap. It is also an error if there is no range, because no Selector
// selects nothing.
func New(key Key, ranges ...Range) (Selector, error) {
	if !key.OnServers() && key != SpreadNamespace && key != Owner {
		return Selector{}, fmt.Errorf("%q is not a key; use %s, %s, %s or %s", string(key), UID, Namespace, SpreadNamespace, Owner)
	}
	if len(ranges) == 0 {
		return Selector{}, errors.New("there is no range; set at least one")
	}
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
	})
	var joined []Range
	for i, r := range sorted {
		if r.First > r.Last {
			return Selector{}, fmt.Errorf("the range from 0x%016x to 0x%016x is empty; its last hash must not be below its first", r.First, r.Last)
		}
		n := len(joined)
		switch {
		case n == 0:
		case r.First <= joined[n-1].Last:
			other := sorted[i-1] // the end of joined[n-1] is its end, because no two before r overlap
			return Selector{}, fmt.Errorf("the range from 0x%016x to 0x%016x overlaps that from 0x%016x to 0x%016x, where each range includes its last hash; name each hash once",
				r.First, r.Last, other.First, other.Last)
		case r.First == joined[n-1].Last+1:
			joined[n-1].Last = r.Last
			continue
		}
		joined = append(joined, r)
	}
	return Selector{key, joined}, nil
}

// Split returns n Selectors of equal size, give or take one hash. Each object is in exactly one of
// them. Split panics if n is not positive.
func Split(key Key, n int) []Selector {
	if n <= 0 {
		panic("sharding: Split needs a positive number of shards, not " + strconv.Itoa(n))
	}
	shards := make([]Selector, n)
	for i := range shards {
		last := uint64(math.MaxUint64)
		if i < n-1 {
			last = start(i+1, n) - 1
		}
		shards[i] = Selector{key, []Range{{start(i, n), last}}}
	}
	return shards
}

// start returns the first hash of part i of n, i*2^64/n.
func start(i, n int) uint64 {
	first, _ := bits.Div64(uint64(i), 0, uint64(n))
	return first
}

// Hash returns the hash of a UID or a namespace: FNV-1a, 64 bits.
func Hash[S string | []byte](value S) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(value) {
		h = (h ^ uint64(value[i])) * 1099511628211
	}
	return h
}

// Mix spreads each bit of a hash over all bits. It is the finalizer of MurmurHash3.
func Mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Key returns the key that is hashed; empty for the zero value.
func (s Selector) Key() Key { return s.key }

// Ranges returns the ranges, sorted. The caller must not change the slice.
func (s Selector) Ranges() []Range { return s.ranges }

// Empty reports whether the Selector selects all objects.
func (s Selector) Empty() bool { return len(s.ranges) == 0 }

// Contains reports whether a hash is in one of the ranges.
func (s Selector) Contains(hash uint64) bool {
	if s.Empty() {
		return true
	}
	i, _ := slices.BinarySearchFunc(s.ranges, hash, func(r Range, hash uint64) int { return cmp.Compare(r.Last, hash) })
	return i < len(s.ranges) && s.ranges[i].First <= hash
}

// Matches reports whether the Selector selects an object.
func (s Selector) Matches(obj metav1.Object) bool {
	return s.Empty() || s.Contains(s.key.Hash(obj))
}

// Hash returns the hash of an object.
func (k Key) Hash(obj metav1.Object) uint64 {
	switch k {
	case Namespace, SpreadNamespace:
		return HashOf(k, obj.GetNamespace())
	case Owner:
		if owner := metav1.GetControllerOfNoCopy(obj); owner != nil {
			return Hash(string(owner.UID))
		}
	}
	return Hash(string(obj.GetUID()))
}

// String returns the text for ListOptions.ShardSelector; empty for all objects.
func (s Selector) String() string {
	var text strings.Builder
	for i, r := range s.ranges {
		if i > 0 {
			text.WriteString(" || ")
		}
		end := fmt.Sprintf("0x%016x", r.Last+1)
		if r.Last == math.MaxUint64 {
			end = "0x10000000000000000"
		}
		fmt.Fprintf(&text, "shardRange(%s, '0x%016x', '%s')", s.key, r.First, end)
	}
	return text.String()
}

// Parse parses the result of String: calls of shardRange with one key, joined by ||. White space between
// the parts is allowed. Servers that know shards accept each text that Parse accepts, unless its key is Owner or
// SpreadNamespace. An empty text is the Selector of all objects.
func Parse(text string) (Selector, error) {
	if trim(text) == "" {
		return Selector{}, nil
	}
	s, err := parse(text)
	if err != nil {
		return Selector{}, fmt.Errorf("%q is not a shard selector: %w", text, err)
	}
	return s, nil
}

func parse(text string) (Selector, error) {
	var key Key
	var ranges []Range
	for call := range strings.SplitSeq(text, "||") {
		of, r, err := parseRange(trim(call))
		switch {
		case err != nil:
			return Selector{}, err
		case key != "" && of != key:
			return Selector{}, fmt.Errorf("it has ranges of %s and of %s; use one of them", key, of)
		}
		key, ranges = of, append(ranges, r)
	}
	return New(key, ranges...)
}

var errForm = errors.New("write shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')")

// parseRange parses a call of shardRange.
func parseRange(call string) (Key, Range, error) {
	name, arguments, _ := strings.Cut(call, "(")
	arguments, closed := strings.CutSuffix(arguments, ")")
	words := strings.Split(arguments, ",")
	if trim(name) != "shardRange" || !closed || len(words) != 3 {
		return "", Range{}, errForm
	}
	first, isEnd, err := parseHash(trim(words[1]))
	if err == nil && isEnd {
		err = errors.New("a range cannot begin at the end of all hashes")
	}
	if err != nil {
		return "", Range{}, err
	}
	end, isEnd, err := parseHash(trim(words[2]))
	switch {
	case err != nil:
		return "", Range{}, err
	case !isEnd && end <= first:
		return "", Range{}, fmt.Errorf("the range from 0x%016x to 0x%016x is empty; its end has to be above its start", first, end)
	}
	return Key(trim(words[0])), Range{first, end - 1}, nil // the end of all hashes is 0
}

// trim removes the white space of the language of the server, CEL.
func trim(text string) string { return strings.Trim(text, " \t\n\r\f") }

// parseHash parses a hash in quotes. isEnd is set for 2^64, which is returned as 0.
func parseHash(quoted string) (hash uint64, isEnd bool, err error) {
	n := len(quoted)
	if n < 2 || quoted[0] != quoted[n-1] || quoted[0] != '\'' && quoted[0] != '"' {
		return 0, false, fmt.Errorf("%s is not a hash in quotes; %w", quoted, errForm)
	}
	digits, isHex := strings.CutPrefix(quoted[1:n-1], "0x")
	if isHex && digits == "10000000000000000" {
		return 0, true, nil
	}
	hash, err = strconv.ParseUint(digits, 16, 64)
	if !isHex || len(digits) != 16 || err != nil || strings.ToLower(digits) != digits {
		return 0, false, fmt.Errorf("%s is not 0x and 16 lower-case hexadecimal digits", quoted)
	}
	return hash, false, nil
}
