package scoping

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

func TestTweak(t *testing.T) {
	none, byUID, byOwner := sharding.Selector{}, sharding.Split(sharding.UID, 2)[0], sharding.Split(sharding.Owner, 2)[0]
	if Tweak("", "", none, nil, nil) != nil || Tweak("", "", byOwner) != nil {
		t.Error("there is nothing to apply")
	}
	set := func(request *metav1.ListOptions) { request.LabelSelector, request.Limit = "a=b", 7 }
	more := func(request *metav1.ListOptions) { request.Limit++ }
	for _, test := range []struct {
		tweak func(*metav1.ListOptions)
		want  metav1.ListOptions
	}{
		{Tweak("", "", byUID), ofShard(metav1.ListOptions{}, byUID)},
		{Tweak("c=d", "x=y", byOwner, nil, set, more), metav1.ListOptions{LabelSelector: "a=b,c=d", FieldSelector: "x=y", Limit: 8}},
		{Tweak("", "x=y", byUID), ofShard(metav1.ListOptions{FieldSelector: "x=y"}, byUID)},
	} {
		var got metav1.ListOptions
		if test.tweak(&got); got != test.want {
			t.Errorf("the request is %+v, want %+v", got, test.want)
		}
	}
}

// ofShard sets the ShardSelector of options, if apimachinery has one.
func ofShard(options metav1.ListOptions, shard sharding.Selector) metav1.ListOptions {
	if field := reflect.ValueOf(&options).Elem().FieldByName("ShardSelector"); field.IsValid() {
		field.SetString(shard.String())
	}
	return options
}

func TestAnd(t *testing.T) {
	for _, test := range [][3]string{{"a=1", "b=2", "a=1,b=2"}, {"", "b=2", "b=2"}, {"a=1", "", "a=1"}, {"", "", ""}} {
		if got := And(test[0], test[1]); got != test[2] {
			t.Errorf("%q and %q are %q", test[0], test[1], got)
		}
	}
}
