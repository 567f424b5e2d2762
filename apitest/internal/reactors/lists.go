package reactors

import (
	"fmt"
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// isNil reports whether obj is nil or a nil pointer.
func isNil(obj runtime.Object) bool {
	value := reflect.ValueOf(obj)
	return obj == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// filtered returns the content of the list of a reactor, without the objects that the client does
// not select by their labels. A list without a version, as tests write them, has that of the server.
func (c *Client) filtered(r *serve.Request, call *Call, obj runtime.Object) (map[string]any, error) {
	content, err := kinds.Content(obj, r.Kind.GroupVersion().WithKind(r.Kind.List))
	if err != nil {
		return nil, err
	}
	selector, err := labels.Parse(call.ListOptions.LabelSelector)
	if err != nil {
		return nil, err
	}
	_, generic := obj.(runtime.Unstructured)
	items, _ := content["items"].([]any)
	kept := items[:0]
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the list of a reactor, which is a %T, has an item that is no object", obj)
		}
		if !generic { // the Go type tells the kind, so what an item says of it need not be right
			delete(fields, "apiVersion")
			delete(fields, "kind")
		}
		if selector.Matches(labels.Set((&unstructured.Unstructured{Object: fields}).GetLabels())) {
			kept = append(kept, item)
		}
	}
	if items != nil {
		content["items"] = kept
	}
	if serve.VersionOf(content) == "" {
		version := strconv.FormatUint(c.handler.Version(), 10)
		if err := unstructured.SetNestedField(content, version, "metadata", "resourceVersion"); err != nil {
			return nil, fmt.Errorf("the metadata of the list of a reactor: %w", err)
		}
	}
	return content, nil
}

// listOf converts the list of a reactor.
func (c *Client) listOf(r *serve.Request, call *Call, obj runtime.Object) (*rest.List, error) {
	content, err := c.filtered(r, call, obj)
	if err != nil {
		return nil, err
	}
	page := &rest.List{}
	if err := kinds.Convert(content["metadata"], &page.Meta); err != nil {
		return nil, fmt.Errorf("the metadata of the list of a reactor: %w", err)
	}
	items, _ := content["items"].([]any)
	for _, item := range items {
		one := &unstructured.Unstructured{Object: item.(map[string]any)}
		if one.GetKind() == "" {
			one.SetGroupVersionKind(r.Kind.GroupVersionKind)
		}
		key := history.Key{GroupResource: r.Kind.GroupResource(), Namespace: one.GetNamespace(), Name: one.GetName()}
		page.Items = append(page.Items, &history.State{Key: key, Object: one.Object})
	}
	return page, nil
}
