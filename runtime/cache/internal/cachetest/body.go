package cachetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/framer"
	"k8s.io/apimachinery/pkg/watch"
)

// OverBodies is an environment variable that lets all tests of package cache read bodies in the encoding that it names, JSON or
// protobuf. TestOverBodies sets it.
const OverBodies = "INFORMER_TEST_OVER_BODIES"

// ServesProtobuf reports whether OpenerOf serves protobuf.
func ServesProtobuf() bool { return os.Getenv(OverBodies) == "protobuf" }

// OpenerOf returns a bodies.OpenFunc that serves the objects of a Lister as bodies, as an API server does.
func OpenerOf(source Lister[Object]) func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		if !strings.HasPrefix(accept, "application/vnd.kubernetes.protobuf;") || !strings.Contains(accept, ",application/json") {
			return nil, fmt.Errorf("the header Accept is %q", accept)
		}
		if !options.Watch {
			page, err := source.List(ctx, options)
			if err != nil {
				return nil, err
			}
			text, err := encoded(&metav1.PartialObjectMetadataList{
				TypeMeta: metav1.TypeMeta{Kind: "WidgetList", APIVersion: "test.example.com/v1"},
				ListMeta: metav1.ListMeta{ResourceVersion: page.ResourceVersion, Continue: page.Continue},
				Items:    valuesOf(objectsOf(page.Items)),
			})
			return io.NopCloser(strings.NewReader(string(text))), err
		}
		stream, err := source.Watch(ctx, options)
		if err != nil {
			return nil, err
		}
		b := &watchBody{}
		ctx, b.cancel = context.WithCancel(ctx)
		reading, writing := io.Pipe()
		b.Reader = reading
		b.running.Go(func() {
			defer stream.Stop()
			_ = writing.CloseWithError(writeEvents(ctx, writing, stream))
		})
		b.close = sync.OnceFunc(func() {
			_ = reading.Close()
			b.cancel()
			b.running.Wait()
		})
		return b, nil
	}
}

func valuesOf(items []Object) []metav1.PartialObjectMetadata {
	values := make([]metav1.PartialObjectMetadata, len(items))
	for i, item := range items {
		values[i] = *item
	}
	return values
}

type watchBody struct {
	io.Reader
	cancel  context.CancelFunc
	running sync.WaitGroup
	close   func()
}

func (b *watchBody) Close() error {
	b.close()
	return nil
}

// errorStatus returns the Status of an error as an object.
func errorStatus(err apierrors.APIStatus) *metav1.Status {
	status := err.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	return &status
}

// writeEvents returns the error with which a body ends.
func writeEvents(ctx context.Context, w io.Writer, stream EventStream[Object]) error {
	var batch []Event[Object]
	for {
		var err error
		if batch, err = stream.Next(ctx, batch); err != nil {
			var status apierrors.APIStatus
			if !errors.As(err, &status) {
				return err
			}
			if err := writeEvent(w, watch.Error, errorStatus(status)); err != nil {
				return err
			}
			return io.EOF
		}
		for _, e := range batch {
			obj := e.Object
			if e.Type == watch.Bookmark {
				obj = &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: e.ResourceVersion}}
				if e.InitialEventsEnd {
					obj.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
				}
			}
			if err := writeEvent(w, e.Type, obj); err != nil {
				return err
			}
		}
	}
}

func writeEvent(w io.Writer, kind watch.EventType, obj runtime.Object) error {
	text, err := encoded(obj)
	if err != nil {
		return err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: text}}
	if !ServesProtobuf() {
		return json.NewEncoder(w).Encode(event)
	}
	frame, err := event.Marshal()
	if err == nil {
		_, err = framer.NewLengthDelimitedFrameWriter(w).Write(frame)
	}
	return err
}

// encoded returns an object as a server writes it.
func encoded(obj runtime.Object) ([]byte, error) {
	if !ServesProtobuf() {
		return json.Marshal(obj)
	}
	raw, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		return nil, err
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}, Raw: raw}
	text, err := u.Marshal()
	return append([]byte("k8s\x00"), text...), err
}
