package shard

import (
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

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
					holds := make([]uint64, count)
					holds[other] = 7
					selector, err := s.selector(holds)
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
	scopes, err := slots{sharding.UID, 4}.scopes([]cache.Scope{{Namespace: "a"}, {Namespace: "b", LabelSelector: "x=y"}}, []uint64{1, 2, 0, 3})
	const shard = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')"
	if want := []cache.Scope{{Namespace: "a", ShardSelector: shard}, {Namespace: "b", LabelSelector: "x=y", ShardSelector: shard}}; err != nil || !slices.Equal(scopes, want) {
		t.Errorf("the scopes are %v (%v), want %v", scopes, err, want)
	}
}
