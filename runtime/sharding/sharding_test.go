package sharding

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestHash(t *testing.T) {
	for _, value := range []string{"", "a", "default", "6e5a1c9e-7c1f-4d0d-9b8e-0f6d3f2b7a11", strings.Repeat("x", 1000)} {
		want := fnv.New64a()
		want.Write([]byte(value))
		if got := Hash(value); got != want.Sum64() {
			t.Errorf("the hash of %q is %#x, want %#x", value, got, want.Sum64())
		}
		if Hash([]byte(value)) != Hash(value) {
			t.Errorf("%q has another hash as bytes", value)
		}
	}
}

// TestSplit checks that the shards cover all hashes without a gap, and are equal but for one hash.
func TestSplit(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 16, 100, 256, 1000, 65_537} {
		next, smallest, largest := uint64(0), uint64(math.MaxUint64), uint64(0)
		shards := Split(UID, n)
		for i, shard := range shards {
			r := shard.Ranges()[0]
			if r.First != next || r.Last < r.First {
				t.Fatalf("shard %d of %d begins at %#x, want %#x", i, n, r.First, next)
			}
			smallest, largest = min(smallest, r.Last-r.First), max(largest, r.Last-r.First)
			next = r.Last + 1
		}
		if len(shards) != n || next != 0 || largest-smallest > 1 {
			t.Errorf("%d shards: the last one ends before %#x, and sizes differ by %d", n, next, largest-smallest)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for 0 shards")
		}
	}()
	Split(UID, 0)
}

func TestNew(t *testing.T) {
	tests := []struct {
		name   string
		key    Key
		ranges []Range
		want   []Range
		err    string
	}{
		{name: "one", key: UID, ranges: []Range{{1, 2}}, want: []Range{{1, 2}}},
		{name: "one hash", key: UID, ranges: []Range{{7, 7}}, want: []Range{{7, 7}}},
		{name: "sorted", key: Namespace, ranges: []Range{{10, 12}, {1, 2}}, want: []Range{{1, 2}, {10, 12}}},
		{name: "touching", key: Owner, ranges: []Range{{3, 4}, {1, 2}, {5, math.MaxUint64}}, want: []Range{{1, math.MaxUint64}}},
		{name: "none", key: UID, err: "there is no range"},
		{name: "empty", key: UID, ranges: []Range{{2, 1}}, err: "the range from 0x0000000000000002 to 0x0000000000000001 is empty"},
		{name: "overlap", key: UID, ranges: []Range{{1, 5}, {5, 6}}, err: "the range from 0x0000000000000005 to 0x0000000000000006 overlaps that from 0x0000000000000001 to 0x0000000000000005, where each range includes its last hash; name each hash once"},
		{name: "overlap after touching", key: UID, ranges: []Range{{5, 9}, {1, 3}, {4, 5}}, err: "the range from 0x0000000000000005 to 0x0000000000000009 overlaps that from 0x0000000000000004 to 0x0000000000000005"},
		{name: "twice", key: UID, ranges: []Range{{1, 5}, {1, 5}}, err: "overlaps that from"},
		{name: "after the end", key: UID, ranges: []Range{{0, math.MaxUint64}, {math.MaxUint64, math.MaxUint64}}, err: "overlaps that from"},
		{name: "other key", key: "object.metadata.name", ranges: []Range{{1, 2}}, err: `"object.metadata.name" is not a key; use object.metadata.uid`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := slices.Clone(test.ranges)
			s, err := New(test.key, test.ranges...)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || !s.Empty() {
					t.Fatalf("%v, %v, want an error with %q", s, err, test.err)
				}
				return
			}
			if err != nil || !slices.Equal(s.Ranges(), test.want) || s.Key() != test.key {
				t.Errorf("%v of %s, %v; want %v", s.Ranges(), s.Key(), err, test.want)
			}
			if !slices.Equal(test.ranges, before) {
				t.Error("the ranges of the caller were changed")
			}
		})
	}
}

func TestContains(t *testing.T) {
	s, err := New(UID, Range{10, 20}, Range{22, 22}, Range{30, math.MaxUint64})
	if err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[uint64]bool{0: false, 9: false, 10: true, 20: true, 21: false, 22: true, 23: false, 29: false, 30: true, math.MaxUint64: true} {
		if s.Contains(hash) != want {
			t.Errorf("%d: %v", hash, !want)
		}
	}
	if !(Selector{}).Contains(7) {
		t.Error("the Selector of all objects leaves out a hash")
	}
}

func TestMatches(t *testing.T) {
	only := func(key Key, value string) Selector {
		s, err := New(key, Range{Hash(value), Hash(value)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	yes, no := true, false
	owned := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", UID: "mine",
		OwnerReferences: []metav1.OwnerReference{{UID: "other"}, {UID: "parent", Controller: &yes}},
	}}
	alone := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-b", UID: "parent",
		OwnerReferences: []metav1.OwnerReference{{UID: types.UID("other"), Controller: &no}},
	}}
	tests := []struct {
		of           Selector
		owned, alone bool
	}{
		{Selector{}, true, true},
		{only(UID, "mine"), true, false},
		{only(UID, "parent"), false, true},
		{only(Namespace, "team-a"), true, false},
		{only(Owner, "parent"), true, true},
		{only(Owner, "mine"), false, false},
		{only(Owner, "other"), false, false},
	}
	for _, test := range tests {
		if got := test.of.Matches(owned); got != test.owned {
			t.Errorf("%v: the owned object: %v", test.of, got)
		}
		if got := test.of.Matches(alone); got != test.alone {
			t.Errorf("%v: the other object: %v", test.of, got)
		}
	}
}

func TestParse(t *testing.T) {
	const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	for text, want := range map[string][]Range{
		"":    nil,
		" \n": nil,
		half:  {{0, math.MaxInt64}},
		"\t" + half + " || shardRange ( object.metadata.uid , \"0xffffffffffffffff\",'0x10000000000000000' )": {{0, math.MaxInt64}, {math.MaxUint64, math.MaxUint64}},
	} {
		if s, err := Parse(text); err != nil || !slices.Equal(s.Ranges(), want) {
			t.Errorf("%q: %v, %v; want %v", text, s.Ranges(), err, want)
		}
	}
	for text, want := range map[string]string{
		"all":            "write shardRange(object.metadata.uid,",
		half + " ||":     "write shardRange(",
		half + half:      "write shardRange(",
		"(" + half + ")": "write shardRange(",
		"shardRange(object.metadata.uid, '0x0000000000000000')":                         "write shardRange(",
		"shardRange(object.metadata.uid, 0x0000000000000000, '0x8000000000000000')":     "0x0000000000000000 is not a hash in quotes",
		"shardRange(object.metadata.uid, '0x0', '0x8000000000000000')":                  "'0x0' is not 0x and 16 lower-case",
		"shardRange(object.metadata.uid, '0x000000000000000A', '0x8000000000000000')":   "lower-case hexadecimal digits",
		"shardRange(object.metadata.uid, '0x+000000000000001', '0x8000000000000000')":   "lower-case hexadecimal digits",
		"shardRange(object.metadata.uid, '0000000000000000', '0x8000000000000000')":     "lower-case hexadecimal digits",
		"shardRange(object.metadata.uid, '0x0000000000000000', '10000000000000000')":    "lower-case hexadecimal digits",
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')":   "from 0x8000000000000000 to 0x8000000000000000 is empty",
		"shardRange(object.metadata.uid, '0x10000000000000000', '0x10000000000000000')": "cannot begin at the end",
		"shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')":  `"object.metadata.name" is not a key`,
		half + " || " + half: "overlaps that from 0x0000000000000000 to 0x7fffffffffffffff, where each range includes its last hash",
		half + " || " + strings.ReplaceAll(half, "uid", "namespace"): "it has ranges of object.metadata.uid and of object.metadata.namespace; use one of them",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "is not a shard selector") {
			t.Errorf("%q: %v, %v; want an error with %q", text, s, err, want)
		}
	}
}

// FuzzParse checks that String is the inverse of Parse.
func FuzzParse(f *testing.F) {
	for _, shard := range Split(Namespace, 3) {
		f.Add(shard.String())
	}
	f.Add("shardRange(object.metadata.controller.uid, '0x0000000000000000', '0x8000000000000000')||shardRange(object.metadata.controller.uid, '0xc000000000000000', '0x10000000000000000')")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.Key() != s.Key() || !slices.Equal(again.Ranges(), s.Ranges()) {
			t.Fatalf("%q: %v is parsed as %v, %v", text, s, again, err)
		}
	})
}

// TestKeysSpread counts the objects of each of eight shards, for names that differ only at their end: those
// of a server are in one shard, the others are spread.
func TestKeysSpread(t *testing.T) {
	const namespaces, n = 800, 8
	for _, key := range []Key{SpreadNamespace, Namespace} {
		largest := 0
		for _, shard := range Split(key, n) {
			count := 0
			for i := range namespaces {
				if shard.Matches(&metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%03d", i)}) {
					count++
				}
			}
			largest = max(largest, count)
		}
		t.Logf("%s: a shard has up to %d of %d namespaces", key, largest, namespaces)
		if key == SpreadNamespace && largest > namespaces/n*3/2 {
			t.Errorf("of %d namespaces %d are in one of %d shards", namespaces, largest, n)
		}
		if key == Namespace && largest < namespaces/2 {
			t.Errorf("the documentation of Namespace is wrong: the largest shard has %d of %d namespaces", largest, namespaces)
		}
	}
}
