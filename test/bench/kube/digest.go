package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// sample is how many objects are compared as a whole.
const sample = 1000

// digest is that of the names and versions of all objects, and of all fields of a sample. The
// kind is left out, because client-go's typed clients drop it.
func digest(objects iter.Seq[cache.Object]) (string, error) {
	byName := map[string]cache.Object{}
	var names []string
	for obj := range objects {
		name := cache.MetaObjectToName(obj).String()
		byName[name] = obj
		names = append(names, name)
	}
	slices.Sort(names)
	state, fields := sha256.New(), sha256.New()
	for i, name := range names {
		obj := byName[name]
		fmt.Fprintln(state, name, obj.GetResourceVersion())
		if i%max(len(names)/sample, 1) != 0 {
			continue
		}
		copied := obj.DeepCopyObject()
		copied.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		if err := json.NewEncoder(fields).Encode(copied); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d objects, %x, %x", len(names), state.Sum(nil), fields.Sum(nil)), nil
}

// listed is the digest of what client-go's typed client lists.
func listed(ctx context.Context, o options) (string, error) {
	var all []cache.Object
	if o.kind == report.Pods {
		clients, err := kubernetes.NewForConfig(o.config())
		if err != nil {
			return "", err
		}
		list, err := clients.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
		return digest(slices.Values(all))
	}
	clients, err := versioned.NewForConfig(o.config())
	if err != nil {
		return "", err
	}
	list, err := clients.DataV1().Databases("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return digest(slices.Values(all))
}
