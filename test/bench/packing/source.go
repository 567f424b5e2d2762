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
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// source is an API server for one informer. It is a http.RoundTripper.
type source struct {
	protobuf bool
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

// sourceOf returns a source of a list. changed is another state of its first object.
func sourceOf(list runtime.Object, changed podserver.Object, kind schema.GroupVersionKind) *source {
	s := &source{events: make(chan []byte, 16), last: firstChange}
	changed.SetResourceVersion(strconv.Itoa(s.last))
	if _, s.protobuf = list.(marshaler); !s.protobuf {
		s.list = mustJSON(list)
		changed.GetObjectKind().SetGroupVersionKind(kind)
		s.change = append(mustJSON(&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: mustJSON(changed)}}), '\n')
		return s
	}
	listKind := kind.GroupVersion().WithKind(kind.Kind + "List")
	s.list = envelope(list, listKind)
	event, err := (&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: envelope(changed, kind)}}).Marshal()
	if err != nil {
		panic(err)
	}
	s.change = append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
	return s
}

// RoundTrip answers a list or a watch. It refuses streaming lists, as servers did before they had any.
func (s *source) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	response := &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: request, ContentLength: -1,
		Header: http.Header{"Content-Type": {runtime.ContentTypeJSON}},
	}
	switch {
	case query.Get("sendInitialEvents") != "":
		response.StatusCode = http.StatusUnprocessableEntity
		response.Body = io.NopCloser(bytes.NewReader(mustJSON(&metav1.Status{Status: "Failure", Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity})))
	case query.Get("watch") != "":
		if s.protobuf {
			response.Header.Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
		}
		response.Body = &stream{Context: request.Context(), events: s.events}
	default:
		if s.protobuf {
			response.Header.Set("Content-Type", runtime.ContentTypeProtobuf)
		}
		response.Body = io.NopCloser(bytes.NewReader(s.list))
	}
	return response, nil
}

// open is a cache.OpenFunc.
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

type marshaler interface{ Marshal() ([]byte, error) }

// envelope returns an object as the body of a response in protobuf.
func envelope(obj runtime.Object, kind schema.GroupVersionKind) []byte {
	raw, err := obj.(marshaler).Marshal()
	if err != nil {
		panic(err)
	}
	unknown := runtime.Unknown{Raw: raw}
	unknown.APIVersion, unknown.Kind = kind.ToAPIVersionAndKind()
	text, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), text...)
}

func mustJSON(obj any) []byte {
	text, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	return text
}

// pods returns pods of podserver, each changed by a function.
func pods(count int, change func(i int, pod *corev1.Pod)) *source {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(count)}, Items: make([]corev1.Pod, count)}
	podserver.OnAllCores(count, func(i int) {
		pod := podserver.Pod(i)
		pod.ResourceVersion = strconv.Itoa(i + 1)
		change(i, pod)
		list.Items[i] = *pod
	})
	changed := list.Items[0].DeepCopy()
	changed.Status.Message = "changed"
	return sourceOf(list, changed, corev1.SchemeGroupVersion.WithKind("Pod"))
}

// large gives a pod what pods of real clusters have: sidecars, volumes and many variables. It has some 8 KB then.
func large(_ int, pod *corev1.Pod) {
	first := pod.Spec.Containers[0]
	for c := range 5 {
		sidecar := *first.DeepCopy()
		sidecar.Name = fmt.Sprintf("sidecar-%d", c)
		for v := range 20 {
			sidecar.Env = append(sidecar.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d_OF_THE_SIDECAR", v), Value: fmt.Sprintf("value-%d-of-%s", v*c, pod.Namespace)})
		}
		for v := range 5 {
			sidecar.VolumeMounts = append(sidecar.VolumeMounts, corev1.VolumeMount{Name: fmt.Sprintf("volume-%d", v), MountPath: fmt.Sprintf("/var/lib/volume-%d", v)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, sidecar)
	}
	for v := range 5 {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("volume-%d", v), VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: fmt.Sprintf("%s-%d", pod.Labels["app"], v)}},
		}})
	}
}

// secrets returns Secrets with 2 KB of random bytes, which do not compress.
func secrets(count int) *source {
	list := &corev1.SecretList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(count)}, Items: make([]corev1.Secret, count)}
	for i := range list.Items {
		secret := &list.Items[i]
		secret.Namespace, secret.Name = podserver.Name(i)
		secret.UID, secret.ResourceVersion = podserver.Pod(i).UID, strconv.Itoa(i+1)
		key := make([]byte, 2048)
		_, _ = crand.Read(key)
		secret.Data = map[string][]byte{"key": key}
	}
	return sourceOf(list, list.Items[0].DeepCopy(), corev1.SchemeGroupVersion.WithKind("Secret"))
}

// databases returns custom resources with 2 KB of JSON.
func databases(count int) *source {
	list := &podserver.DatabaseList{Items: make([]podserver.Database, count)}
	list.APIVersion, list.Kind = databaseKind.ToAPIVersionAndKind()
	list.Kind += "List"
	list.ResourceVersion = strconv.Itoa(count)
	podserver.OnAllCores(count, func(i int) {
		list.Items[i] = *podserver.SmallDatabase(i)
		list.Items[i].ResourceVersion = strconv.Itoa(i + 1)
	})
	changed := list.Items[0].DeepCopyObject().(*podserver.Database)
	changed.Status.ObservedGeneration = 1000
	return sourceOf(list, changed, databaseKind)
}

var databaseKind = podserver.DatabaseVersion.WithKind("Database")
