package shard

import (
	"math"
	"math/bits"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// slots divides the hashes of a key into equal parts.
type slots struct {
	key   sharding.Key
	count int // a power of two
}

// of returns the slot of an object.
func (s slots) of(obj metav1.Object) int {
	return int(s.key.Hash(obj) >> (64 - bits.TrailingZeros(uint(s.count))))
}

// selector returns the Selector of the slots whose hold is not 0.
func (s slots) selector(holds []uint64) (sharding.Selector, error) {
	var ranges []sharding.Range
	size := math.MaxUint64/uint64(s.count) + 1 // 0 for one slot
	for slot, hold := range holds {
		if first := uint64(slot) * size; hold != 0 {
			ranges = append(ranges, sharding.Range{First: first, Last: first + size - 1})
		}
	}
	return sharding.New(s.key, ranges...)
}

// scopes limits the scopes of an informer to the slots whose hold is not 0. There are no scopes without such a slot.
func (s slots) scopes(base []cache.Scope, holds []uint64) ([]cache.Scope, error) {
	if !slices.ContainsFunc(holds, func(hold uint64) bool { return hold != 0 }) {
		return nil, nil
	}
	selector, err := s.selector(holds)
	if err != nil {
		return nil, err
	}
	scopes := slices.Clone(base)
	for i := range scopes {
		scopes[i].ShardSelector = selector.String()
	}
	return scopes, nil
}
