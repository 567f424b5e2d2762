package rest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func (s *Store) update(r *Request, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	live := s.History.Get(r.Key())
	if live != nil {
		if err := r.checkUID(live, obj); err != nil {
			return nil, err
		}
	}
	switch {
	case live == nil && r.Subresource == "" && !r.Kind.Custom() && r.Kind.BuiltIn.CreateOnUpdate:
		if uid := obj.GetUID(); uid != "" {
			return nil, r.otherUID(r.Key(), uid, "")
		}
		obj.SetResourceVersion("")
		return s.insert(r, obj, w)
	case live == nil:
		return nil, r.Missing()
	case r.Subresource == "scale":
		return s.updateScale(r, live, w, func(scale *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return obj, s.manage(r, scale.Object, obj, w.Manager)
		})
	}
	return s.replace(r, live, obj, w)
}
