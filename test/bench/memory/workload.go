package memory

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

const (
	// inNamespace and onNode are how many objects there are of one namespace and of
	// one node, however many there are in all: so costs of queries compare.
	inNamespace = 1000
	onNode      = 200
	// stride is between objects that are read or updated one after the other: a prime,
	// so that all have their turn, and the next one is not in the processor's cache.
	stride = 7919
)

// workload is what both sides work on.
type workload struct {
	// list has all objects in one array, as a typed client returns them; pods points
	// into it.
	list *corev1.PodList
	pods []*corev1.Pod
	// names are of the pods, in memory of their own: who asks for an object has its
	// name from somewhere else.
	names []cache.ObjectName
	// versions are what the caches are to have in the end.
	versions []string
	version  int
}

// newWorkload makes the objects, as the server of the other benchmarks has them but
// for their namespaces and nodes. They come as an API server lists them: one
// namespace after the other.
func newWorkload(objects int) *workload {
	w := &workload{list: &corev1.PodList{Items: make([]corev1.Pod, objects)}, pods: make([]*corev1.Pod, objects)}
	w.names, w.versions = make([]cache.ObjectName, objects), make([]string, objects)
	var making sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		making.Go(func() {
			for i := part; i < objects; i += parts {
				pod := podserver.Pod(i)
				pod.Namespace = namespace(i / inNamespace)
				pod.Spec.NodeName = node(i % (objects / onNode))
				pod.ResourceVersion = strconv.Itoa(i + 1)
				w.list.Items[i] = *pod
				w.pods[i] = &w.list.Items[i]
				w.names[i] = cache.ObjectName{Namespace: strings.Clone(pod.Namespace), Name: strings.Clone(pod.Name)}
				w.versions[i] = pod.ResourceVersion
			}
		})
	}
	making.Wait()
	w.version = objects
	w.list.ResourceVersion = strconv.Itoa(objects)
	return w
}

// slimPods have no more than what a cache looks at.
func slimPods(objects int) []*corev1.Pod {
	pods := make([]*corev1.Pod, objects)
	for i := range pods {
		_, name := podserver.Name(i)
		pods[i] = &corev1.Pod{}
		pods[i].Namespace, pods[i].Name, pods[i].Spec.NodeName = namespace(i/inNamespace), name, node(i%(objects/onNode))
		pods[i].ResourceVersion = strconv.Itoa(i + 1)
	}
	return pods
}

func namespace(n int) string { return fmt.Sprintf("team-%04d", n) }

func node(n int) string { return fmt.Sprintf("node-%d", n) }

// often is how many objects are updated, and asked for, again and again.
const often = 1000

// oftenAsked are the names of those that next updates if it is to update no others:
// they stand all over the collection.
func (w *workload) oftenAsked() []cache.ObjectName {
	var names []cache.ObjectName
	among := min(often, len(w.names))
	for place := range among {
		names = append(names, w.names[place*(len(w.names)/among)])
	}
	return names
}

// countIf returns how many pods are such.
func (w *workload) countIf(such func(*corev1.Pod) bool) (n int) {
	for _, pod := range w.pods {
		if such(pod) {
			n++
		}
	}
	return n
}

// next returns count updates, each with a new version, of among objects by turns.
// They share all else with the first state, as nothing is ever written to.
func (w *workload) next(count, among int) []*corev1.Pod {
	among = min(among, len(w.pods))
	states, pointers := make([]corev1.Pod, count), make([]*corev1.Pod, count)
	for n := range states {
		place := n * stride % among * (len(w.pods) / among)
		w.version++
		states[n] = *w.pods[place]
		states[n].ResourceVersion = strconv.Itoa(w.version)
		w.versions[place] = states[n].ResourceVersion
		pointers[n] = &states[n]
	}
	return pointers
}

// deletesAndAdds are count events: objects, often ones by turns, are deleted and added
// again, as they were.
func (w *workload) deletesAndAdds(count int) []watch.Event {
	among := min(often, len(w.pods))
	var events []watch.Event
	for n := range count / 2 {
		pod := w.pods[n*stride%among*(len(w.pods)/among)]
		events = append(events, watch.Event{Type: watch.Deleted, Object: pod}, watch.Event{Type: watch.Added, Object: pod})
	}
	return events
}

// reset says that a new informer has the first states.
func (w *workload) reset() {
	for i, pod := range w.pods {
		w.versions[i] = pod.ResourceVersion
	}
}

// indexFunc returns the values of a pod in one index.
type indexFunc func(pod *corev1.Pod) []string

// namespaceIndex is in every cache of ours, so client-go's gets it as well where
// there are any indexes.
const (
	namespaceIndex = "namespace"
	nodeIndex      = "node"
)

type namedIndex struct {
	name   string
	values indexFunc
}

// indexes are what rows choose from: the first ones, by namespace not counted.
var indexes = []namedIndex{
	{nodeIndex, func(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} }},
	{"application", func(pod *corev1.Pod) []string { return []string{pod.Labels["app"]} }},
	{"replicaSet", func(pod *corev1.Pod) []string { return []string{pod.Labels["pod-template-hash"]} }},
	{"owner", func(pod *corev1.Pod) []string { return []string{string(pod.OwnerReferences[0].UID)} }},
	{"address", func(pod *corev1.Pod) []string { return []string{pod.Status.PodIP} }},
	{"phase", func(pod *corev1.Pod) []string { return []string{string(pod.Status.Phase)} }},
	{"serviceAccount", func(pod *corev1.Pod) []string { return []string{pod.Spec.ServiceAccountName} }},
}

// usual is the number of indexes of most rows, with that by namespace.
const usual = 2

// chosen are count indexes, without that by namespace.
func chosen(count int) []namedIndex { return indexes[:max(0, count-1)] }
