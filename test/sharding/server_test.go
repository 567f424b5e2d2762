package sharding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	machinery "k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
	server "k8s.io/apiserver/pkg/sharding"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// objects returns objects with UIDs as servers make them, and with other ones.
func objects(random *rand.Rand, n int) (all []*metav1.PartialObjectMetadata) {
	for i := range n {
		obj := &metav1.PartialObjectMetadata{}
		obj.Namespace = fmt.Sprint("team-", random.IntN(100))
		obj.UID = types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", random.Uint32(), random.IntN(1<<16), random.IntN(1<<12), random.IntN(1<<12), random.Int64N(1<<48)))
		switch i {
		case 0:
			obj.UID, obj.Namespace = "", ""
		case 1:
			obj.UID = "not a UUID, ünïcode"
		}
		all = append(all, obj)
	}
	return all
}

func TestHashIsThatOfAServer(t *testing.T) {
	for _, obj := range objects(rand.New(rand.NewPCG(1, 2)), 1000) {
		for _, value := range []string{string(obj.UID), obj.Namespace} {
			if got, want := fmt.Sprintf("%016x", sharding.Hash(value)), machinery.HashField(value); got != want {
				t.Errorf("the hash of %q is %s, want %s", value, got, want)
			}
		}
	}
}

// check checks that a server selects the same objects.
func check(t *testing.T, text string, ours sharding.Selector, objects []*metav1.PartialObjectMetadata) {
	t.Helper()
	theirs, err := server.Parse(text)
	if err != nil {
		t.Errorf("the server refuses %q: %v", text, err)
		return
	}
	for _, obj := range objects {
		want, err := theirs.Matches(obj)
		if got := ours.Matches(obj); err != nil || got != want {
			t.Errorf("%q: the object %q in namespace %q: %v; the server says %v, %v", text, obj.UID, obj.Namespace, got, want, err)
		}
	}
}

// TestServerSelectsTheSame makes random Selectors, of which some end exactly at the hash of an object.
func TestServerSelectsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all := objects(random, 50)
	for range 2000 {
		key := []sharding.Key{sharding.UID, sharding.Namespace}[random.IntN(2)]
		var ranges []sharding.Range
		for first := uint64(0); first < math.MaxUint64 && len(ranges) < 8; {
			end := random.Uint64()
			if random.IntN(2) == 0 {
				obj := all[random.IntN(len(all))]
				end = sharding.Hash([]string{string(obj.UID), obj.Namespace}[random.IntN(2)]) - random.Uint64N(2)
			}
			if end < first {
				end = math.MaxUint64
			}
			if random.IntN(3) > 0 {
				ranges = append(ranges, sharding.Range{First: first, Last: end})
			}
			if end == math.MaxUint64 {
				break
			}
			first = end + 1
		}
		if len(ranges) == 0 {
			continue
		}
		ours, err := sharding.New(key, ranges...)
		if err != nil {
			t.Fatal(err)
		}
		check(t, ours.String(), ours, all)
	}
	for _, shards := range []int{1, 2, 3, 5, 16, 255} {
		for _, obj := range all {
			in := 0
			for _, shard := range sharding.Split(sharding.UID, shards) {
				if shard.Matches(obj) {
					in++
				}
			}
			if in != 1 {
				t.Errorf("%q is in %d of %d shards", obj.UID, in, shards)
			}
		}
	}
}

// FuzzServerAccepts checks that a server accepts what Parse accepts, and selects the same.
func FuzzServerAccepts(f *testing.F) {
	for _, shard := range sharding.Split(sharding.UID, 2) {
		f.Add(shard.String())
	}
	f.Add("shardRange (object.metadata.namespace,\"0x0000000000000000\" , '0x8000000000000000')\n||\tshardRange( object.metadata.namespace, '0xc000000000000000', '0x10000000000000000' )")
	f.Add("shardRange(object.metadata.uid, '0x0000000000000001', '0x0000000000000002')\f||\rshardRange(object.metadata.uid, '0x0000000000000002', '0x0000000000000003')")
	all := objects(rand.New(rand.NewPCG(5, 6)), 20)
	f.Fuzz(func(t *testing.T, text string) {
		ours, err := sharding.Parse(text)
		if err != nil || ours.Empty() || ours.Key() == sharding.Owner {
			return
		}
		check(t, text, ours, all)
		check(t, ours.String(), ours, all)
	})
}
