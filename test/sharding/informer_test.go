package sharding

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

type object = *metav1.PartialObjectMetadata

// listOf returns an empty list of objects of which a server has applied a shard selector.
func listOf(selector string) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "PartialObjectMetadataList"})
	list.ResourceVersion = "5"
	if selector != "" {
		list.ShardInfo = &metav1.ShardInfo{Selector: selector}
	}
	return list
}

// kindOf returns a Kind whose lists are of a shard, as bodies in a media type, or as objects if that is empty.
func kindOf(t *testing.T, selector, mediaType string) cache.Kind[object] {
	kind := cache.Kind[object]{Resource: schema.GroupVersionResource{Version: "v1", Resource: "widgets"}, Namespaced: true}
	if mediaType == "" {
		kind.ListWatch = func(string) cache.ListerWatcher[object] { return cache.NewListWatch[object](client{selector}) }
		return kind
	}
	scheme := runtime.NewScheme()
	metav1.AddMetaToScheme(scheme)
	info, ok := runtime.SerializerInfoForMediaType(serializer.NewCodecFactory(scheme).SupportedMediaTypes(), mediaType)
	if !ok {
		t.Fatalf("there is no serializer for %s", mediaType)
	}
	body, err := runtime.Encode(info.Serializer, listOf(selector))
	if err != nil {
		t.Fatal(err)
	}
	kind.Protobuf = &metav1.PartialObjectMetadata{}
	kind.Open = func(string) bodies.OpenFunc {
		return func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
			if !options.Watch {
				return io.NopCloser(bytes.NewReader(body)), nil
			}
			reader, writer := io.Pipe()
			context.AfterFunc(ctx, func() { writer.Close() })
			return reader, nil
		}
	}
	return kind
}

// client is a typed client.
type client struct{ selector string }

func (c client) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return listOf(c.selector), nil
}

func (c client) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

// TestListOfAnotherShard follows a shard of a server that applies a selector of its own.
func TestListOfAnotherShard(t *testing.T) {
	halves := sharding.Split(sharding.UID, 2)
	owners := sharding.Split(sharding.Owner, 2)
	tests := []struct {
		name    string
		shard   sharding.Selector
		applied string
		want    string // in the reason why it is not synced
	}{
		{"this shard", halves[0], halves[0].String(), ""},
		{"no shard", halves[0], "", ""},
		{"another shard", halves[0], halves[1].String(), `"` + halves[1].String() + `" instead of "` + halves[0].String() + `"`},
		{"a shard that only the client knows", owners[0], halves[0].String(), ""},
	}
	for _, test := range tests {
		for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf, ""} {
			t.Run(strings.TrimSpace(test.name+" "+mediaType), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					informer, err := kindOf(t, test.applied, mediaType).NewInformer(cache.WithShard(test.shard))
					if err != nil {
						t.Fatal(err)
					}
					go informer.Run(t.Context())
					time.Sleep(time.Minute)
					got := informer.NotSyncedReason()
					if now := informer.Status(); (now.Reason == status.ServerError) != (test.want != "") {
						t.Errorf("the reason is %q", now.Reason)
					}
					if informer.HasSynced() != (test.want == "") || !strings.Contains(got, test.want) {
						t.Errorf("synced: %t, because %q, want %q", informer.HasSynced(), got, test.want)
					}
				})
			})
		}
	}
}
