package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// encodeList encodes a page of objects as the client accepts it.
func (r *Request) encodeList(l *rest.List) (io.ReadCloser, string, error) {
	if r.Accept.MediaType == media.Protobuf {
		body, err := r.encodeProtobufList(l)
		return bodyOf(body), r.Accept.ContentType(), err
	}
	apiVersion, kind := r.Kind.APIVersion(), r.Kind.List
	if r.Accept.Form == media.Metadata {
		apiVersion, kind = metav1.GroupName+"/"+r.Accept.MetaVersion, "PartialObjectMetadataList"
	}
	meta, err := r.listMeta(l.Meta)
	if err != nil {
		return nil, "", err
	}
	items, size := make([][]byte, len(l.Items)), 0
	for i, state := range l.Items {
		if items[i], err = r.encodeItem(state); err != nil {
			return nil, "", err
		}
		size += len(items[i]) + 1
	}
	body := make([]byte, 0, size+len(meta)+len(kind)+len(apiVersion)+64)
	body = fmt.Appendf(body, `{"apiVersion":%q,"items":[`, apiVersion)
	for i, item := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, item...)
	}
	body = fmt.Appendf(body, "],\"kind\":%q,\"metadata\":%s}\n", kind, meta)
	body, err = r.Accept.Text(body)
	return bodyOf(body), r.Accept.MediaType, err
}

// encodeItem encodes an item of a list as JSON.
func (r *Request) encodeItem(state *history.State) ([]byte, error) {
	switch {
	case r.Accept.Form == media.Metadata:
		return json.Marshal(partial(r.Accept, r.Kind.Present(state)))
	case state.APIVersion != r.Kind.APIVersion():
		return json.Marshal(r.Kind.Present(state))
	}
	content, err := state.JSON()
	if err == nil && !r.Kind.Custom() {
		content = withoutKind(content)
	}
	return content, err
}

// encodeProtobufList encodes a page of objects in protobuf.
func (r *Request) encodeProtobufList(l *rest.List) ([]byte, error) {
	var into runtime.Object = &metav1.PartialObjectMetadataList{}
	if r.Accept.MetaVersion == metav1beta1.SchemeGroupVersion.Version {
		into = &metav1beta1.PartialObjectMetadataList{} // its fields have other numbers
	}
	gvk := schema.GroupVersionKind{Group: metav1.GroupName, Version: r.Accept.MetaVersion, Kind: "PartialObjectMetadataList"}
	if r.Accept.Form == media.Object {
		gvk = r.Kind.GroupVersion().WithKind(r.Kind.List)
		var err error
		if into, err = r.Scheme.New(gvk); err != nil {
			return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", r.Kind.List)
		}
	}
	items := make([]runtime.Object, len(l.Items))
	for i, state := range l.Items {
		obj := r.Kind.Present(state)
		if r.Accept.Form == media.Metadata {
			obj = partial(r.Accept, obj)
		}
		var err error
		if items[i], err = r.typed(obj); err != nil {
			return nil, err
		}
		if r.Accept.Form == media.Object {
			items[i].GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		}
	}
	if err := meta.SetList(into, items); err != nil {
		return nil, err
	}
	into.GetObjectKind().SetGroupVersionKind(gvk)
	accessor, err := meta.ListAccessor(into)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(l.Meta.ResourceVersion)
	accessor.SetContinue(l.Meta.Continue)
	accessor.SetRemainingItemCount(l.Meta.RemainingItemCount)
	return media.MarshalProtobuf(into)
}

// withoutKind returns an object without its kind and apiVersion, which the items of a typed list do
// not have.
func withoutKind(object []byte) []byte {
	out := make([]byte, 0, len(object))
	out = append(out, '{')
	for field := range fieldsOf(object) {
		if bytes.HasPrefix(field, []byte(`"kind":`)) || bytes.HasPrefix(field, []byte(`"apiVersion":`)) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, field...)
	}
	return append(out, '}')
}

// fieldsOf yields the fields of an object in JSON without spaces, each as "name":value.
func fieldsOf(object []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		depth, start := 0, 1
		for i := 1; i < len(object); i++ {
			switch object[i] {
			case '"':
				for i++; object[i] != '"'; i++ {
					if object[i] == '\\' {
						i++
					}
				}
			case '{', '[':
				depth++
			case ',':
				if depth == 0 {
					if !yield(object[start:i]) {
						return
					}
					start = i + 1
				}
			case '}', ']':
				if depth--; depth < 0 {
					if i > start {
						yield(object[start:i])
					}
					return
				}
			}
		}
	}
}

// listMeta encodes the metadata of a list. Lists of custom resources have a continue token even if
// it is empty.
func (r *Request) listMeta(meta metav1.ListMeta) ([]byte, error) {
	if r.Accept.Form != media.Object || !r.Kind.Custom() || meta.Continue != "" {
		return json.Marshal(meta)
	}
	return json.Marshal(map[string]any{"continue": "", "resourceVersion": meta.ResourceVersion})
}

// encode returns the body of a reply in the form that the client accepts.
func (r *Request) encode(answer *rest.Reply) (io.ReadCloser, string, error) {
	switch {
	case answer.Status != nil:
		body, mediaType := r.Accept.EncodeStatus(answer.Status)
		return bodyOf(body), mediaType, nil
	case answer.List != nil && r.Accept.Form == media.Metadata && !r.Accept.List:
		return nil, "", media.Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (%s)", r.Kind.ListType()))
	case answer.List != nil:
		return r.encodeList(answer.List)
	case r.Accept.List && (!r.Kind.Custom() || r.Subresource == "scale"):
		gvk := r.BodyKind()
		return nil, "", media.Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("you requested PartialObjectMetadataList, but the requested object is not a list (*%s.%s)", gvk.Version, gvk.Kind))
	case r.Accept.List:
		return nil, "", errors.New("content is not a list")
	case answer.State != nil:
		body, err := r.EncodeState(answer.State)
		return bodyOf(body), r.Accept.ContentType(), err
	}
	body, err := r.EncodeObject(answer.Object)
	return bodyOf(body), r.Accept.ContentType(), err
}
