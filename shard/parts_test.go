package shard

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

func TestParted(t *testing.T) {
	for name, test := range map[string]struct {
		parts []part
		holds []uint64
		want  [][]part
	}{
		"nothing":                        {nil, []uint64{0, 0}, nil},
		"the first slots":                {nil, []uint64{1, 0, 2}, [][]part{{{0: 1, 2: 2}}}},
		"no change":                      {[]part{{0: 1}}, []uint64{1, 0}, nil},
		"one more is a part of its own":  {[]part{{0: 1}}, []uint64{1, 2}, [][]part{{{0: 1}, {1: 2}}}},
		"one less stays for a while":     {[]part{{0: 1, 1: 2}}, []uint64{1, 0}, nil},
		"an empty part goes":             {[]part{{0: 1}, {1: 2}}, []uint64{1, 0}, [][]part{{{0: 1}}}},
		"lost and taken back":            {[]part{{0: 1, 1: 2}}, []uint64{1, 3}, [][]part{{{0: 1}}, {{0: 1}, {1: 3}}}},
		"the only one, lost and back":    {[]part{{0: 1}}, []uint64{2}, [][]part{{}, {{0: 2}}}},
		"too many parts become one part": {[]part{{0: 1}, {1: 2}, {2: 3}, {3: 4}}, []uint64{1, 2, 3, 4, 5}, [][]part{{{0: 1, 1: 2, 2: 3, 3: 4, 4: 5}}}},
	} {
		if got := parted(test.parts, test.holds); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: parted(%v, %v) = %v, want %v", name, test.parts, test.holds, got, test.want)
		}
	}
}

func TestNarrowed(t *testing.T) {
	for _, test := range []struct {
		parts []part
		holds []uint64
		want  []part
		ok    bool
	}{
		{nil, []uint64{0, 0}, nil, false},
		{[]part{{0: 1}}, []uint64{0, 0}, nil, true},
		{[]part{{0: 1}}, []uint64{1, 0}, []part{{0: 1}}, false},
		{[]part{{0: 1, 1: 2}}, []uint64{1, 0}, []part{{0: 1}}, true},
		{[]part{{0: 1}, {1: 2}}, []uint64{1, 2}, []part{{0: 1, 1: 2}}, true},
	} {
		if got, ok := narrowed(test.parts, test.holds); ok != test.ok || ok && !reflect.DeepEqual(got, test.want) {
			t.Errorf("narrowed(%v, %v) = %v, %v, want %v, %v", test.parts, test.holds, got, ok, test.want, test.ok)
		}
	}
}

// TestPartsFollowHolds plays random changes of slots. After each one, each slot is in exactly one part with its
// present hold, and a slot that was lost and taken back was in no part in between.
func TestPartsFollowHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		holds, next := make([]uint64, 16), uint64(0)
		var parts []part
		backs := 0
		for range 40 {
			lost := map[int]bool{}
			for range random.IntN(4) {
				slot := random.IntN(16)
				switch {
				case holds[slot] == 0:
					next++
					holds[slot] = next
				case random.IntN(3) == 0: // lost and taken back at one time
					next++
					holds[slot] = next
					lost[slot] = true
				default:
					holds[slot] = 0
				}
			}
			steps := parted(parts, holds)
			for slot := range lost {
				has := func(parts []part) bool {
					return slices.ContainsFunc(parts, func(p part) bool { _, ok := p[slot]; return ok })
				}
				if holds[slot] == 0 || !has(parts) {
					continue
				}
				backs++
				if !slices.ContainsFunc(steps, func(step []part) bool { return !has(step) }) {
					t.Fatalf("parted(%v, %v) = %v never leaves out slot %d", parts, holds, steps, slot)
				}
			}
			if len(steps) > 0 {
				parts = steps[len(steps)-1]
			}
			if random.IntN(8) == 0 {
				if p, ok := narrowed(parts, holds); ok {
					parts = p
				}
			}
			covered := map[int]uint64{}
			for _, p := range parts {
				maps.Copy(covered, p.only(holds))
			}
			for slot, hold := range holds {
				if covered[slot] != hold {
					t.Fatalf("slot %d with hold %d is in no part of %v", slot, hold, parts)
				}
			}
			if len(parts) > maxParts {
				t.Fatalf("there are %d parts", len(parts))
			}
		}
		if backs == 0 {
			t.Fatal("no slot was lost and taken back")
		}
	}
}

// TestSlotsAgreeWithSelectors compares the slot of an object with the selectors of all slots.
func TestSlotsAgreeWithSelectors(t *testing.T) {
	yes := true
	random := rand.New(rand.NewPCG(5, 6))
	for _, count := range []int{1, 2, 64, 256} {
		for _, key := range []sharding.Key{sharding.UID, sharding.Namespace, sharding.SpreadNamespace, sharding.Owner} {
			s := slots{key, count}
			for i := range 50 {
				obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
					Namespace: string(rune('a' + random.IntN(26))), UID: types.UID(rune('A' + random.IntN(1000))),
				}}
				hash := sharding.Hash(string(obj.UID))
				if key.ByNamespace() {
					hash = sharding.HashOf(key, obj.Namespace)
				}
				if i%2 == 0 {
					obj.OwnerReferences = []metav1.OwnerReference{{UID: "other"}, {UID: "parent", Controller: &yes}}
					if key == sharding.Owner {
						hash = sharding.Hash("parent")
					}
				}
				slot := s.of(obj)
				for other := range count {
					selector, err := s.selector([]int{other})
					if err != nil {
						t.Fatal(err)
					}
					if selector.Contains(hash) != (other == slot) {
						t.Fatalf("%s, %d slots: the object of slot %d is in that of %d: %s", key, count, slot, other, selector)
					}
				}
			}
		}
	}
	scopes, err := slots{sharding.UID, 4}.scopes([]cache.Scope{{Namespace: "a"}, {Namespace: "b", LabelSelector: "x=y"}}, []part{{0: 1, 1: 2, 3: 3}})
	const shard = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')"
	if want := []cache.Scope{{Namespace: "a", ShardSelector: shard}, {Namespace: "b", LabelSelector: "x=y", ShardSelector: shard}}; err != nil || !slices.Equal(scopes, want) {
		t.Errorf("the scopes are %v (%v), want %v", scopes, err, want)
	}
}
