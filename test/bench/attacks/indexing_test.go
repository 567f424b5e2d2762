package attacks

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// store is a cache of either side.
type store struct {
	set, remove func(*corev1.Pod)
	replace     func([]*corev1.Pod)
}

func newOurStore() store {
	x := cache.NewIndexer(cache.Indexers[*corev1.Pod]{"values": valuesOf})
	return store{x.Update, x.Delete, x.Replace}
}

func newTheirStore() store {
	x := clientcache.NewIndexer(clientcache.MetaNamespaceKeyFunc, clientcache.Indexers{
		clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc,
		"values":                   func(obj any) ([]string, error) { return valuesOf(obj.(*corev1.Pod)), nil },
	})
	must := func(err error) {
		if err != nil {
			panic(err) // the objects have names
		}
	}
	return store{
		func(pod *corev1.Pod) { must(x.Update(pod)) },
		func(pod *corev1.Pod) { must(x.Delete(pod)) },
		func(pods []*corev1.Pod) {
			objs := make([]any, len(pods))
			for i, pod := range pods {
				objs[i] = pod
			}
			must(x.Replace(objs, ""))
		},
	}
}

func valuesOf(pod *corev1.Pod) []string { return pod.Finalizers }

func pod(i int, values []string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i), Namespace: "default", ResourceVersion: "1", Finalizers: values}}
}

// manyValues returns about as many values as an object of that size can have.
func manyValues(size int, prefix string) []string {
	values := make([]string, 0, size/8)
	for i := range size / 8 {
		values = append(values, fmt.Sprint(prefix, i))
	}
	return values
}

// others is how many small objects there are besides.
const others = 2000

func setOthers(s store) {
	for i := range others {
		s.set(pod(i, nil))
	}
}

// indexing is changes of objects with many values. setUp fills a store, and returns the
// work to measure.
func indexing(size int) (attacks []attack) {
	values := func(prefix string) []string { return manyValues(size, prefix) }
	// inTurn gives one object other values again and again.
	inTurn := func(s store, all ...[]string) func() {
		return func() {
			for _, values := range all {
				s.set(pod(0, values))
			}
		}
	}
	for _, a := range []struct {
		name  string
		setUp func(s store) func()
	}{
		{"objects with the same values in turn", func(s store) func() {
			forward, backward := values("v"), values("v")
			slices.Reverse(backward)
			return func() {
				for _, values := range [][]string{forward, backward} {
					s.set(pod(0, values))
					s.set(pod(1, values[1:]))
				}
			}
		}},
		{"other values with each update", func(s store) func() { return inTurn(s, values("v"), values("w")) }},
		{"one value many times", func(s store) func() {
			return inTurn(s, strings.Split(strings.Repeat("v ", size/4), " "), nil)
		}},
		{"values that come and go", func(s store) func() { return inTurn(s, values("v"), nil) }},
		{"few values that come and go, among many objects", func(s store) func() {
			for i := range 20 * others {
				s.set(pod(i, []string{"one"}))
			}
			change := inTurn(s, manyValues(1000, "v"), nil)
			return func() {
				for range 200 {
					change()
				}
			}
		}},
		{"deletes before an object with many values", func(s store) func() {
			values := values("v")
			return func() {
				setOthers(s)
				s.set(pod(others, values))
				for i := range others {
					s.remove(pod(others-1-i, nil))
				}
				s.remove(pod(others, values))
			}
		}},
		{"a relist that leaves an object with many values", func(s store) func() {
			values := values("v")
			return func() {
				setOthers(s)
				s.set(pod(others, values))
				s.replace([]*corev1.Pod{pod(others, values)})
				s.remove(pod(others, values))
			}
		}},
		{"a relist with other content at the same version", func(s store) func() {
			one, two := values("v"), values("w")
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
