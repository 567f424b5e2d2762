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

// contents are digests of the names and versions of all objects, and of the fields of a
// sample: those that the informer keeps, and the smaller sets that these include.
func (c *client) contents(i *informer) (map[string]string, error) {
	var all []string
	for obj := range i.stored {
		all = append(all, obj.GetNamespace()+"/"+obj.GetName()+" "+obj.GetResourceVersion())
	}
	slices.Sort(all)
	scenario := c.Scenario
	if scenario == report.SlowLimited {
		scenario = report.Slow // both end in the same state
	}
	digests := map[string]string{scenario + ", state": fmt.Sprintf("%d objects, %x", len(all), sha256.Sum256(fmt.Append(nil, all)))}
	kept := map[string][]any{}
	for n := 0; n < c.objects; n += max(c.objects/samples, 1) {
		namespace, name := podserver.Name(n)
		obj, ok := i.get(namespace, name)
		if !ok {
			return nil, fmt.Errorf("%s/%s is missing", namespace, name)
		}
		for fields, part := range parts(obj, c.Fields) {
			kept[fields] = append(kept[fields], part)
		}
	}
	for fields, all := range kept {
		hash := sha256.New()
		if err := json.NewEncoder(hash).Encode(all); err != nil {
			return nil, err
		}
		digests[scenario+", "+fields+" fields"] = fmt.Sprintf("%x", hash.Sum(nil))
	}
	return digests, nil
}

// parts returns the fields that an informer keeps of obj, and the smaller sets. The kind
// is left out, because client-go's typed clients drop it.
func parts(obj any, kept string) map[string]any {
	if view, ok := obj.(*podView); ok {
		view := *view
		view.TypeMeta = metav1.TypeMeta{}
		return map[string]any{report.View: &view}
	}
	if database, ok := obj.(*podserver.Database); ok {
		database := *database
		database.TypeMeta = metav1.TypeMeta{}
		return map[string]any{report.AllFields: &database}
	}
	whole := *obj.(*corev1.Pod)
	whole.TypeMeta = metav1.TypeMeta{}
	unmanaged := whole
	unmanaged.ManagedFields = nil
	all := map[string]any{report.View: viewOf(&unmanaged)}
	if kept != report.View {
		all[report.Unmanaged] = &unmanaged
	}
	if kept == report.AllFields {
		all[report.AllFields] = &whole
	}
	return all
}
