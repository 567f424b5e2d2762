package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// samples is how many objects are compared as a whole.
const samples = 1000

// stateOf is a digest of which objects there are, in which versions.
func stateOf(i informer) string {
	var all []string
	i.stored(func(obj metav1.Object) {
		all = append(all, obj.GetNamespace()+"/"+obj.GetName()+" "+obj.GetResourceVersion())
	})
	slices.Sort(all)
	return fmt.Sprintf("%d objects, %x", len(all), sha256.Sum256(fmt.Append(nil, all)))
}

// contentsOf are digests of a sample, by what is kept of each object.
func contentsOf(i informer, objects int) (map[string]string, error) {
	hash := sha256.New()
	contents := map[string][]any{}
	for n := 0; n < objects; n += max(objects/samples, 1) {
		namespace, name := podserver.Name(n)
		obj, ok := i.get(namespace, name)
		if !ok {
			return nil, fmt.Errorf("%s/%s is missing", namespace, name)
		}
		for fields, part := range parts(obj) {
			contents[fields] = append(contents[fields], part)
		}
	}
	digests := map[string]string{}
	for fields, all := range contents {
		hash.Reset()
		if err := json.NewEncoder(hash).Encode(all); err != nil {
			return nil, err
		}
		digests[fields] = fmt.Sprintf("%x", hash.Sum(nil))
	}
	return digests, nil
}

// parts are those that are kept of obj. Its kind is not compared: client-go's typed
// clients drop it.
func parts(obj any) map[string]any {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		view := *obj.(*podView)
		view.TypeMeta = metav1.TypeMeta{}
		return map[string]any{report.View: &view}
	}
	whole := *pod
	whole.TypeMeta = metav1.TypeMeta{}
	unmanaged := whole
	unmanaged.ManagedFields = nil
	return map[string]any{report.AllFields: &whole, report.Unmanaged: &unmanaged, report.View: viewOf(&unmanaged)}
}
