package shard

import (
	"math"
	"math/bits"

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

// selector returns the Selector of some slots, which are sorted.
func (s slots) selector(of []int) (sharding.Selector, error) {
	var ranges []sharding.Range
	size := math.MaxUint64/uint64(s.count) + 1 // 0 for one slot
	for _, slot := range of {
		first := uint64(slot) * size
		last := first + size - 1
		if n := len(ranges); n > 0 && ranges[n-1].Last+1 == first {
			ranges[n-1].Last = last
			continue
		}
		ranges = append(ranges, sharding.Range{First: first, Last: last})
	}
	return sharding.New(s.key, ranges...)
}

// scopes returns the scopes of an informer for some parts.
func (s slots) scopes(base []cache.Scope, parts []part) ([]cache.Scope, error) {
	var scopes []cache.Scope
	for _, p := range parts {
		selector, err := s.selector(p.slots())
		if err != nil {
			return nil, err
		}
		for _, scope := range base {
			scope.ShardSelector = selector.String()
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}
