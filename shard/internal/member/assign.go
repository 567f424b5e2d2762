package member

import (
	"cmp"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Assign returns the identity that each slot should belong to. It depends on the set of identities alone,
// so members that see the same members agree. The numbers of slots of two members differ by at most
// one, and few slots move when a member comes or goes.
//
// This is rendezvous hashing with a limit: of all pairs of a slot and a member, the one with the
// highest score comes first, until each slot has a member that is not full.
func Assign(slots int, identities []string) []string {
	owners := make([]string, slots)
	if len(identities) == 0 {
		return owners
	}
	type pair struct {
		score        uint64
		slot, member int
	}
	identities = slices.Sorted(slices.Values(identities))
	pairs := make([]pair, 0, slots*len(identities))
	for member, identity := range identities {
		seed := sharding.Hash(identity)
		for slot := range slots {
			pairs = append(pairs, pair{sharding.Mix(seed + uint64(slot)*0x9e3779b97f4a7c15), slot, member})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.slot, b.slot), cmp.Compare(a.member, b.member))
	})
	// Each member has least slots, and the remainder of the division goes to the first that want one more.
	least, more := slots/len(identities), slots%len(identities)
	counts := make([]int, len(identities))
	for _, p := range pairs {
		if owners[p.slot] != "" || counts[p.member] > least || counts[p.member] == least && more == 0 {
			continue
		}
		if counts[p.member] == least {
			more--
		}
		owners[p.slot] = identities[p.member]
		counts[p.member]++
	}
	return owners
}
