// Package sharding divides the objects of a collection among processes by a hash, as KEP-5866
// (https://kep.k8s.io/5866) defines it for ListOptions.ShardSelector: FNV-1a, 64 bits, of the UID or
// of the namespace of an object. A Selector selects the objects whose hash is in one of its ranges.
//
//	half, err := sharding.Parse("shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')")
//	shards := sharding.Split(sharding.UID, 4) // four Selectors, of which each object is in one
package sharding

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Key is what of an object is hashed.
type Key string

const (
	// UID hashes the UID: the objects of one kind are spread evenly.
	UID Key = "object.metadata.uid"
	// Namespace hashes the namespace: the objects of a namespace are in one shard. All
	// cluster-scoped objects have the same hash.
	Namespace Key = "object.metadata.namespace"
	// Owner hashes the UID of the controller in the owner references, and of an object without
	// one its own: the children of an object are in its shard, if they are direct children. No
	// server knows this key, so only the client filters.
	Owner Key = "object.metadata.controller.uid"
)

// Range is a range of hashes, with both ends.
type Range struct{ First, Last uint64 }

// Selector selects the objects whose hash is in one of some ranges. The zero value selects all
// objects. A Selector is immutable.
type Selector struct {
	key Key
	// ranges are sorted, and neither overlap nor touch each other.
	ranges []Range
}

// New returns the Selector of some ranges. Ranges that overlap or touch are joined. The error says
// which range is empty, or that there is none: a Selector of nothing is no Selector.
func New(key Key, ranges ...Range) (Selector, error) {
	if key != UID && key != Namespace && key != Owner {
		return Selector{}, fmt.Errorf("%q cannot be hashed; use %s, %s or %s", key, UID, Namespace, Owner)
	}
	if len(ranges) == 0 {
		return Selector{}, fmt.Errorf("a shard needs at least one range")
	}
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var joined []Range
	for _, r := range sorted {
		if r.First > r.Last {
			return Selector{}, fmt.Errorf("the range from %#016x to %#016x is empty", r.First, r.Last)
		}
		if n := len(joined); n > 0 && (r.First <= joined[n-1].Last || r.First == joined[n-1].Last+1) {
			joined[n-1].Last = max(joined[n-1].Last, r.Last)
			continue
		}
		joined = append(joined, r)
	}
	return Selector{key, joined}, nil
}

// Split returns n Selectors that have equal parts of the hashes. Each object is in exactly one. It
// panics if n is not positive.
func Split(key Key, n int) []Selector {
	if n <= 0 {
		panic("sharding: Split needs a positive number of shards, not " + strconv.Itoa(n))
	}
	step := math.MaxUint64/uint64(n) + 1 // 0 for n == 1
	shards := make([]Selector, n)
	for i := range shards {
		first := uint64(i) * step
		last := first + step - 1
		if i == n-1 {
			last = math.MaxUint64
		}
		shards[i] = Selector{key, []Range{{first, last}}}
	}
	return shards
}

// Hash returns the hash of a UID or a namespace.
func Hash[S string | []byte](value S) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(value) {
		h = (h ^ uint64(value[i])) * 1099511628211
	}
	return h
}

// Key returns what of an object is hashed; empty for the zero value.
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

// String returns the Selector as ListOptions.ShardSelector has it; empty for all objects.
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

// Parse parses the result of String: calls of shardRange with one key, joined by ||. It is as strict
// as a server is. An empty text is the Selector of all objects.
func Parse(text string) (Selector, error) {
	if strings.TrimSpace(text) == "" {
		return Selector{}, nil
	}
	var key Key
	var ranges []Range
	for part := range strings.SplitSeq(text, "||") {
		of, r, err := parseRange(strings.TrimSpace(part))
		if err != nil {
			return Selector{}, fmt.Errorf("%q is not a shard selector: %w", text, err)
		}
		if key != "" && of != key {
			return Selector{}, fmt.Errorf("%q is not a shard selector: it has ranges of %s and of %s; use one of them", text, key, of)
		}
		key, ranges = of, append(ranges, r)
	}
	s, err := New(key, ranges...)
	if err != nil {
		return Selector{}, fmt.Errorf("%q is not a shard selector: %w", text, err)
	}
	return s, nil
}

func parseRange(call string) (Key, Range, error) {
	const form = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	arguments, ok := strings.CutPrefix(call, "shardRange(")
	if arguments, ok = strings.CutSuffix(arguments, ")"); !ok {
		return "", Range{}, fmt.Errorf("write %s", form)
	}
	words := strings.Split(arguments, ",")
	if !strings.HasPrefix(call, "shardRange(") || len(words) != 3 {
		return "", Range{}, fmt.Errorf("write %s", form)
	}
	first, isEnd, err := parseHash(strings.TrimSpace(words[1]))
	if err == nil && isEnd {
		err = fmt.Errorf("the range is empty")
	}
	if err != nil {
		return "", Range{}, err
	}
	end, isEnd, err := parseHash(strings.TrimSpace(words[2]))
	if err != nil {
		return "", Range{}, err
	}
	if !isEnd && end <= first {
		return "", Range{}, fmt.Errorf("the range from %#016x to %#016x is empty", first, end)
	}
	return Key(strings.TrimSpace(words[0])), Range{first, end - 1}, nil // the end of all hashes is 0
}

// parseHash parses a hash in quotes. isEnd is set for 2^64, which is returned as 0.
func parseHash(quoted string) (hash uint64, isEnd bool, err error) {
	text := quoted
	if n := len(quoted); n >= 2 && quoted[0] == quoted[n-1] && (quoted[0] == '\'' || quoted[0] == '"') {
		text = quoted[1 : n-1]
	} else {
		return 0, false, fmt.Errorf("%s needs quotes", quoted)
	}
	if text == "0x10000000000000000" {
		return 0, true, nil
	}
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || len(digits) != 16 || strings.ToLower(digits) != digits {
		return 0, false, fmt.Errorf("%s is not 0x and 16 lower-case hexadecimal digits", quoted)
	}
	if hash, err = strconv.ParseUint(digits, 16, 64); err != nil {
		return 0, false, fmt.Errorf("%s is not 0x and 16 lower-case hexadecimal digits", quoted)
	}
	return hash, false, nil
}
