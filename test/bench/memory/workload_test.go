package memory

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

const (
	// inNamespace and onNode are how many objects one namespace and one node have, at any
	// number of objects, so that the costs of queries compare.
	inNamespace = 1000
	onNode      = 200
	// stride is between objects that are read or updated one after the other. It is a
	// prime, so that all have their turn, and the next one is not in the processor's cache.
	stride = 7919
)

// workload is the objects of both sides.
type workload struct {
	// list has all objects in one array, as a typed client returns them. pods points into
	// it.
	list *corev1.PodList
	pods []*corev1.Pod
	// names are those of the pods, in other memory: a caller of Get has the name from
	// somewhere else, too.
	names []cache.ObjectName
	// versions are those that the caches must have in the end.
	versions []string
	version  int
}

// newWorkload makes the objects of podserver, with other namespaces and nodes. They have
// the order of an API server's list: one namespace after the other.
func newWorkload(objects int) *workload {
	w := &workload{list: &corev1.PodList{Items: make([]corev1.Pod, objects)}, pods: make([]*corev1.Pod, objects)}
	w.names, w.versions = make([]cache.ObjectName, objects), make([]string, objects)
	podserver.OnAllCores(objects, func(i int) {
		pod := podserver.Pod(i)
		pod.Namespace = namespace(i / inNamespace)
		pod.Spec.NodeName = node(i % (objects / onNode))
		pod.ResourceVersion = strconv.Itoa(i + 1)
		w.list.Items[i] = *pod
		w.pods[i] = &w.list.Items[i]
		w.names[i] = cache.ObjectName{Namespace: strings.Clone(pod.Namespace), Name: strings.Clone(pod.Name)}
		w.versions[i] = pod.ResourceVersion
	})
	w.version = objects
	w.list.ResourceVersion = strconv.Itoa(objects)
	return w
}

// slimPods have no more fields than a cache looks at.
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

// often is how many objects, all over the collection, are updated and read repeatedly.
const often = 1000

// oftenAsked are the names of the objects that next updates if it updates only often
// ones.
func (w *workload) oftenAsked() []cache.ObjectName {
	var names []cache.ObjectName
	among := min(often, len(w.names))
	for n := range among {
		names = append(names, w.names[n*(len(w.names)/among)])
	}
	return names
}

// countIf returns how many pods match.
func (w *workload) countIf(match func(*corev1.Pod) bool) (n int) {
	for _, pod := range w.pods {
		if match(pod) {
			n++
		}
	}
	return n
}

// next returns count updates, each with a new version, of among objects by turns. They
// share all other fields with the first state, because no one writes to objects.
func (w *workload) next(count, among int) []watch.Event {
	among = min(among, len(w.pods))
	states, events := make([]corev1.Pod, count), make([]watch.Event, count)
	for n := range states {
		i := n * stride % among * (len(w.pods) / among)
		w.version++
		states[n] = *w.pods[i]
		states[n].ResourceVersion = strconv.Itoa(w.version)
		w.versions[i] = states[n].ResourceVersion
		events[n] = watch.Event{Type: watch.Modified, Object: &states[n]}
	}
	return events
}

// deletesAndAdds returns count events: often objects are deleted and added again, as they
// were, by turns.
func (w *workload) deletesAndAdds(count int) []watch.Event {
	among := min(often, len(w.pods))
	var events []watch.Event
	for n := range count / 2 {
		pod := w.pods[n*stride%among*(len(w.pods)/among)]
		events = append(events, watch.Event{Type: watch.Deleted, Object: pod}, watch.Event{Type: watch.Added, Object: pod})
	}
	return events
}

// reset restores the first versions: a new informer has the first state of each object.
func (w *workload) reset() {
	for i, pod := range w.pods {
		w.versions[i] = pod.ResourceVersion
	}
}

// namedIndex is an index of pods.
type namedIndex struct {
	name   string
	values func(pod *corev1.Pod) []string
}

const nodeIndex = "node"

// indexes are those that rows use besides the one by namespace: the first ones.
var indexes = []namedIndex{
	{nodeIndex, func(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} }},
	{"application", func(pod *corev1.Pod) []string { return []string{pod.Labels["app"]} }},
	{"replicaSet", func(pod *corev1.Pod) []string { return []string{pod.Labels["pod-template-hash"]} }},
	{"owner", func(pod *corev1.Pod) []string { return []string{string(pod.OwnerReferences[0].UID)} }},
	{"address", func(pod *corev1.Pod) []string { return []string{pod.Status.PodIP} }},
	{"phase", func(pod *corev1.Pod) []string { return []string{string(pod.Status.Phase)} }},
	{"serviceAccount", func(pod *corev1.Pod) []string { return []string{pod.Spec.ServiceAccountName} }},
}

// usual is the number of indexes of most rows, with the one by namespace.
const usual = 2

// chosen are count indexes, without the one by namespace.
func chosen(count int) []namedIndex { return indexes[:max(0, count-1)] }
