package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// object is the kind that all scenarios are about.
type object = *metav1.PartialObjectMetadata

var (
	widgets    = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}
	widgetKind = schema.GroupKind{Group: widgets.Group, Kind: "Widget"}
)

// server is an API server, and the clients for one of its collections. It is at version 100 when a
// scenario begins, and each change is one version. Objects are named by "namespace/name".
type server interface {
	// put creates or updates an object. Labels are "key=value".
	put(key string, labels ...string) object
	// remove deletes an object.
	remove(key string)
	// has reports whether there is an object.
	has(key string) bool
	// truth is the collection as "namespace/name@version", sorted.
	truth() []string

	// bookmark makes a version at which nothing happens to the collection. Watches hear of it within
	// a minute.
	bookmark()
	// compact forgets the history: only lists lead to the present.
	compact()
	// restore returns to the state at a version, as a backup does. Later changes have the versions
	// that follow it.
	restore(version int)
	// endWatches ends the open watches before anything else reaches them: with an
	// ERROR event if there is an error, and in good order otherwise.
	endWatches(err apierrors.APIStatus)
	// answerWith sets what requests are answered with, if not with nil.
	answerWith(func(request) error)
	// asked returns the requests since it was last called, as lines.
	asked() []string

	// List and Watch are those of a typed client.
	List(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	// IsWatchListSemanticsUnSupported keeps informers from asking for a streaming list.
	IsWatchListSemanticsUnSupported() bool
	// open returns the body of a list or a watch.
	open(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)
	// RoundTrip answers a write.
	RoundTrip(*http.Request) (*http.Response, error)
}

// request is one of an informer.
type request struct {
	verb    string // list, watch, or stream for a streaming list
	options metav1.ListOptions
}

// reads reports whether the request is a list, if verb is "list", or a watch.
func (r request) reads(verb string) bool {
	return r.verb == verb || r.verb == "stream" && verb == "list"
}

func (r request) String() string {
	line := fmt.Sprintf("%s rv=%s", r.verb, r.options.ResourceVersion)
	if r.options.Limit > 0 {
		line += fmt.Sprintf(" limit=%d", r.options.Limit)
	}
	if r.options.Continue != "" {
		line += " continue"
	}
	return line
}

// linesOf returns requests as lines.
func linesOf(requests []request) []string {
	lines := make([]string, len(requests))
	for i, r := range requests {
		lines[i] = r.String()
	}
	return lines
}

// expire makes clients list again and find there what change does: their requests are answered after it.
func expire(s server, change func()) {
	changed := make(chan struct{})
	s.answerWith(func(request) error { <-changed; return nil })
	s.endWatches(apierrors.NewResourceExpired("too old resource version"))
	change()
	s.compact()
	s.answerWith(nil)
	close(changed)
}

func newObject(key string, labels ...string) object {
	namespace, name, _ := strings.Cut(key, "/")
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		metav1.SetMetaDataLabel(&obj.ObjectMeta, key, value)
	}
	return obj
}

func keyOf(obj object) string { return obj.Namespace + "/" + obj.Name }

// describe returns objects as "namespace/name@version", sorted.
func describe(objs []object) []string {
	lines := make([]string, len(objs))
	for i, obj := range objs {
		lines[i] = keyOf(obj) + "@" + obj.ResourceVersion
	}
	slices.Sort(lines)
	return lines
}
