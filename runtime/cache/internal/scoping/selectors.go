package scoping

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// And returns the selector of objects that two selectors select.
func And(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// AllOf returns the selector of objects that all of selectors select.
func AllOf(selectors []labels.Selector) labels.Selector {
	all := labels.NewSelector()
	for _, selector := range selectors {
		requirements, _ := selector.Requirements()
		all = all.Add(requirements...)
	}
	return all
}

// Tweak returns a function that applies tweaks, which may be nil, and selectors to the options of a
// request. It sends the shard to the server if a server can know its key. It returns nil if there is
// nothing to apply.
func Tweak(byLabels, byFields string, shard sharding.Selector, tweaks ...func(*metav1.ListOptions)) func(*metav1.ListOptions) {
	set := make([]func(*metav1.ListOptions), 0, len(tweaks))
	for _, tweak := range tweaks {
		if tweak != nil {
			set = append(set, tweak)
		}
	}
	byShard := ""
	if shard.Key().OnServers() {
		byShard = shard.String()
	}
	if len(set) == 0 && byLabels == "" && byFields == "" && byShard == "" {
		return nil
	}
	return func(request *metav1.ListOptions) {
		for _, tweak := range set {
			tweak(request)
		}
		// A tweak may have set selectors.
		request.LabelSelector = And(request.LabelSelector, byLabels)
		request.FieldSelector = And(request.FieldSelector, byFields)
		if byShard != "" {
			setShardSelector(request, byShard)
		}
	}
}

// setShardSelector sets ListOptions.ShardSelector, if the program's apimachinery has that field, which
// is new in v0.36. Without it servers send all objects, and the informer drops those of other shards.
// Reflection finds out which version it is, because no build constraint can. A field of another type is
// ignored too, because setting it would panic.
func setShardSelector(request *metav1.ListOptions, selector string) {
	if field := reflect.ValueOf(request).Elem().FieldByName("ShardSelector"); field.IsValid() && field.Kind() == reflect.String {
		field.SetString(selector)
	}
}
