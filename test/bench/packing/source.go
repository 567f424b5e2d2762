// Package packing measures informers with packed objects next to the same informers without, in one process and without a
// network:
//
//	go test -run '^$' -bench . -count 5 ./bench/packing
//
// A test fails if an object takes more memory than its floor allows.
package packing

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// source is an API server for one informer: it has the body of a list, and sends no events.
type source struct{ list []byte }

// open is a cache.OpenFunc. The watch stays open.
func (s *source) open(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	if !options.Watch {
		return io.NopCloser(bytes.NewReader(s.list)), nil
	}
	return silence{ctx}, nil
}

// silence is the body of a watch that ends with its context.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s silence) Close() error { return nil }

// pods returns a list of pods of podserver, as protobuf, each changed by a function.
func pods(count int, change func(i int, pod *corev1.Pod)) *source {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(count)}, Items: make([]corev1.Pod, count)}
	podserver.OnAllCores(count, func(i int) {
		pod := podserver.Pod(i)
		change(i, pod)
		list.Items[i] = *pod
	})
	return &source{list: protobuf(list, "PodList")}
}

// protobuf returns an object as the body of a response.
func protobuf(obj interface{ Marshal() ([]byte, error) }, kind string) []byte {
	raw, err := obj.Marshal()
	if err != nil {
		panic(err)
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
	text, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), text...)
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

// secrets returns a list of Secrets with 2 KB of random bytes, which do not compress.
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
	return &source{list: protobuf(list, "SecretList")}
}

// databases returns a list of custom resources with 2 KB of JSON.
func databases(count int) *source {
	list := podserver.DatabaseList{Items: make([]podserver.Database, count)}
	list.APIVersion, list.Kind = podserver.Kinds["2 KB"].GroupVersion().String(), "DatabaseList"
	list.ResourceVersion = strconv.Itoa(count)
	podserver.OnAllCores(count, func(i int) {
		list.Items[i] = *podserver.ManagedDatabase(i)
		list.Items[i].ResourceVersion = strconv.Itoa(i + 1)
	})
	text, err := json.Marshal(&list)
	if err != nil {
		panic(err)
	}
	return &source{list: text}
}

// kindOf returns the Kind of a source.
func kindOf[T cache.Object](resource string, protobuf runtime.Object, from *source, indexers cache.Indexers[T]) cache.Kind[T] {
	return cache.Kind[T]{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: resource}, Protobuf: protobuf, Namespaced: true, Indexers: indexers,
		Open: func(string) cache.OpenFunc { return from.open },
	}
}
