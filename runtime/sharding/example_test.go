package sharding_test

import (
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Each object is in one of the shards.
func ExampleSplit() {
	for _, shard := range sharding.Split(sharding.UID, 2) {
		fmt.Println(shard)
	}
	// Output:
	// shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')
	// shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')
}

// A process works on an object if the object is in its shard.
func ExampleSelector_Matches() {
	shards := sharding.Split(sharding.SpreadNamespace, 2)
	for _, namespace := range []string{"team-a", "team-b", "team-c"} {
		for i, shard := range shards {
			if shard.Matches(&metav1.ObjectMeta{Namespace: namespace, Name: "web"}) {
				fmt.Println(namespace, "is in shard", i)
			}
		}
	}
	// Output:
	// team-a is in shard 1
	// team-b is in shard 0
	// team-c is in shard 1
}

// Several ranges are one shard: a process with two eighths of all objects reads the collection once.
func ExampleNew() {
	eighths := sharding.Split(sharding.UID, 8)
	ranges := append(eighths[2].Ranges(), eighths[3].Ranges()...)
	shard, err := sharding.New(sharding.UID, ranges...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shard)

	parsed, err := sharding.Parse(shard.String())
	fmt.Println(parsed.Key(), len(parsed.Ranges()), err)
	// Output:
	// shardRange(object.metadata.uid, '0x4000000000000000', '0x8000000000000000')
	// object.metadata.uid 1 <nil>
}
