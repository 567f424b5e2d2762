// Package packing measures caches with packed objects next to the same caches without, to those of client-go and to those of
// controller-runtime, in one process, with an API server that has all of its answers in memory:
//
//	go test -run '^$' -bench . -count 5 ./bench/packing
//
// CPU times are those of the process, with the garbage collector.
package packing

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"io"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// source is an API server for one informer. It is a http.RoundTripper.
type source struct {
	encoding podserver.Encoding
	list     []byte
	// change is an event with another state of the first object, whose version is last.
	change []byte
	last   int
	// events are what the watch sends.
	events chan []byte
}

// firstChange is the version of the first change, which is above those of a list. All versions of changes have as many digits.
const firstChange = 100_000_000_000

// send sends the change with the next version.
func (s *source) send() {
	before := strconv.Itoa(s.last)
	s.last++
	s.change = bytes.Replace(s.change, []byte(before), []byte(strconv.Itoa(s.last)), 1)
	s.events <- s.change
}

// sourceOf returns a source of a list, whose objects get versions. changed is another state of the first one.
func sourceOf(protobuf bool, kind schema.GroupVersionKind, objects []podserver.Object, changed podserver.Object) *source {
	encoding := podserver.EncodingOf(protobuf)
	items := make([][]byte, len(objects))
	podserver.OnAllCores(len(objects), func(i int) {
		objects[i].SetResourceVersion(strconv.Itoa(i + 1))
		items[i] = encoding.Item(objects[i])
	})
	changed.SetResourceVersion(strconv.Itoa(firstChange))
	return &source{
		encoding: encoding, list: encoding.List(kind, strconv.Itoa(len(objects)), items),
		change: encoding.Event(watch.Modified, changed, kind), last: firstChange, events: make(chan []byte, 16),
	}
}

func (s *source) isProtobuf() bool { return s.encoding.ContentType() == runtime.ContentTypeProtobuf }

// RoundTrip answers a list or a watch. It refuses streaming lists, as servers did before they had any.
func (s *source) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	response := &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: request, ContentLength: -1,
		Header: http.Header{"Content-Type": {s.encoding.ContentType()}},
	}
	switch {
	case query.Get("sendInitialEvents") != "":
		response.StatusCode = http.StatusUnprocessableEntity
		response.Header.Set("Content-Type", runtime.ContentTypeJSON)
		response.Body = io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`))
	case query.Get("watch") != "":
		response.Header.Set("Content-Type", s.encoding.ContentType()+";stream=watch")
		response.Body = &stream{Context: request.Context(), events: s.events}
	default:
		response.Body = io.NopCloser(bytes.NewReader(s.list))
	}
	return response, nil
}

// open is a bodies.OpenFunc.
func (s *source) open(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	if !options.Watch {
		return io.NopCloser(bytes.NewReader(s.list)), nil
	}
	return &stream{Context: ctx, events: s.events}, nil
}

// stream is the body of a watch.
type stream struct {
	context.Context
	events <-chan []byte
	rest   []byte
}

func (s *stream) Read(into []byte) (int, error) {
	if len(s.rest) == 0 {
		select {
		case s.rest = <-s.events:
		case <-s.Done():
			return 0, s.Err()
		}
	}
	n := copy(into, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) Close() error { return nil }

// pods returns pods of podserver, each changed by a function.
func pods(count int, change func(pod *corev1.Pod)) *source {
	objects := make([]podserver.Object, count)
	podserver.OnAllCores(count, func(i int) {
		pod := podserver.Pod(i)
		change(pod)
		objects[i] = pod
	})
	changed := objects[0].DeepCopyObject().(*corev1.Pod)
	changed.Status.Message = "changed"
	return sourceOf(true, corev1.SchemeGroupVersion.WithKind("Pod"), objects, changed)
}

// nodes returns Nodes with 13 KB of JSON.
func nodes(count int) *source {
	objects := make([]podserver.Object, count)
	podserver.OnAllCores(count, func(i int) { objects[i] = podserver.Node(i) })
	changed := objects[0].DeepCopyObject().(*corev1.Node)
	changed.Status.Phase = corev1.NodeRunning
	return sourceOf(true, corev1.SchemeGroupVersion.WithKind("Node"), objects, changed)
}

// secrets returns Secrets with 2 KB of random bytes, which do not compress.
func secrets(count int) *source {
	objects := make([]podserver.Object, count)
	for i := range objects {
		secret := &corev1.Secret{Data: map[string][]byte{"key": make([]byte, 2048)}}
		secret.Namespace, secret.Name = podserver.Name(i)
		secret.UID = podserver.Pod(i).UID
		_, _ = crand.Read(secret.Data["key"])
		objects[i] = secret
	}
	return sourceOf(true, corev1.SchemeGroupVersion.WithKind("Secret"), objects, objects[0].DeepCopyObject().(*corev1.Secret))
}

// databases returns custom resources with 2 KB of JSON.
func databases(count int) *source {
	objects := make([]podserver.Object, count)
	podserver.OnAllCores(count, func(i int) { objects[i] = podserver.SmallDatabase(i) })
	changed := podserver.SmallDatabase(0)
	changed.Status.ObservedGeneration = 1000
	return sourceOf(false, podserver.DatabaseVersion.WithKind("Database"), objects, changed)
}
