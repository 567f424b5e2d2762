package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// store is what both caches can do.
type store interface {
	add(*corev1.Pod)
	update(*corev1.Pod)
	remove(*corev1.Pod)
	replace([]*corev1.Pod)
}

type ourStore struct{ *cache.Indexer[*corev1.Pod] }

func newOurStore() store {
	return ourStore{cache.NewIndexer(cache.Indexers[*corev1.Pod]{"values": valuesOf})}
}

func (s ourStore) add(pod *corev1.Pod)        { s.Add(pod) }
func (s ourStore) update(pod *corev1.Pod)     { s.Update(pod) }
func (s ourStore) remove(pod *corev1.Pod)     { s.Delete(pod) }
func (s ourStore) replace(pods []*corev1.Pod) { s.Replace(pods) }

type theirStore struct{ clientcache.Indexer }

func newTheirStore() store {
	return theirStore{clientcache.NewIndexer(clientcache.MetaNamespaceKeyFunc, clientcache.Indexers{
		clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc,
		"values":                   func(obj any) ([]string, error) { return valuesOf(obj.(*corev1.Pod)), nil },
	})}
}

func (s theirStore) add(pod *corev1.Pod)    { must(s.Add(pod)) }
func (s theirStore) update(pod *corev1.Pod) { must(s.Update(pod)) }
func (s theirStore) remove(pod *corev1.Pod) { must(s.Delete(pod)) }

func (s theirStore) replace(pods []*corev1.Pod) {
	objs := make([]any, len(pods))
	for i, pod := range pods {
		objs[i] = pod
	}
	must(s.Replace(objs, ""))
}

func must(err error) {
	if err != nil {
		panic(err) // the objects have names
	}
}

func valuesOf(pod *corev1.Pod) []string { return pod.Finalizers }

func pod(i int, values []string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i), Namespace: "default", ResourceVersion: "1", Finalizers: values}}
}

// manyValues are about as many values as an object of that size can have.
func manyValues(size int, prefix string) []string {
	values := make([]string, 0, size/8)
	for i := range size / 8 {
		values = append(values, fmt.Sprint(prefix, i))
	}
	return values
}

// others is how many small objects there are besides.
const others = 2000

// indexing are changes of objects with many values. setUp fills a store, and returns what
// is measured.
func indexing(size int) (attacks []attack) {
	for _, a := range []struct {
		name  string
		setUp func(s store) func()
	}{
		{"objects with the same values in turn", func(s store) func() {
			forward, backward := manyValues(size, "v"), manyValues(size, "v")
			slices.Reverse(backward)
			return func() {
				for _, values := range [][]string{forward, backward} {
					s.update(pod(0, values))
					s.update(pod(1, values[1:]))
				}
			}
		}},
		{"other values with each update", func(s store) func() {
			one, two := manyValues(size, "v"), manyValues(size, "w")
			return func() {
				s.update(pod(0, one))
				s.update(pod(0, two))
			}
		}},
		{"one value many times", func(s store) func() {
			same := strings.Split(strings.Repeat("v ", size/4), " ")
			return func() {
				s.update(pod(0, same))
				s.update(pod(0, nil))
			}
		}},
		{"values that come and go", func(s store) func() {
			values := manyValues(size, "v")
			return func() {
				s.update(pod(0, values))
				s.update(pod(0, nil))
			}
		}},
		{"few values that come and go, among many objects", func(s store) func() {
			for i := range 20 * others {
				s.add(pod(i, []string{"one"}))
			}
			values := manyValues(1000, "v")
			return func() {
				for range 200 {
					s.update(pod(0, values))
					s.update(pod(0, nil))
				}
			}
		}},
		{"deletes before an object with many values", func(s store) func() {
			values := manyValues(size, "v")
			return func() {
				for i := range others {
					s.add(pod(i, nil))
				}
				s.add(pod(others, values))
				for i := range others {
					s.remove(pod(others-1-i, nil))
				}
				s.remove(pod(others, values))
			}
		}},
		{"a relist that leaves an object with many values", func(s store) func() {
			values := manyValues(size, "v")
			return func() {
				for i := range others {
					s.add(pod(i, nil))
				}
				s.add(pod(others, values))
				s.replace([]*corev1.Pod{pod(others, values)})
				s.remove(pod(others, values))
			}
		}},
		{"a relist with other content at the same version", func(s store) func() {
			one, two := manyValues(size, "v"), manyValues(size, "w")
			return func() {
				s.replace([]*corev1.Pod{pod(0, one)})
				s.replace([]*corev1.Pod{pod(0, two)})
			}
		}},
	} {
		attacks = append(attacks, attack{"index: " + a.name, func() (ours, theirs func() error) {
			return measured(a.setUp(newOurStore())), measured(a.setUp(newTheirStore()))
		}})
	}
	return attacks
}

func measured(call func()) func() error {
	return func() error {
		call()
		return nil
	}
}
