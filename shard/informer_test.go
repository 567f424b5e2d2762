package shard

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// replica is a process with an informer of the runtime.
type replica struct {
	*Coordinator
	informer *cache.SharedIndexInformer[*corev1.ConfigMap]
	recorder *recorder[*corev1.ConfigMap]
	line     *line
	stop     context.CancelFunc
	done     chan struct{}
}

func startReplica(t *testing.T, server *apitest.Server, identity string) *replica {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r := &replica{line: &line{next: server}, recorder: &recorder[*corev1.ConfigMap]{}, done: make(chan struct{})}
	config := &rest.Config{Host: server.URL(), Transport: r.line, QPS: -1}
	leases, err := coordinationv1client.NewForConfig(config)
	must(err)
	core, err := corev1client.NewForConfig(config)
	must(err)
	r.Coordinator, err = New(leases, options(identity))
	must(err)
	r.informer, err = cache.Kind[*corev1.ConfigMap]{
		Resource:   corev1.SchemeGroupVersion.WithResource("configmaps"),
		Kind:       "ConfigMap",
		Namespaced: true,
		ListWatch: func(namespace string) cache.ListerWatcher[*corev1.ConfigMap] {
			return cache.NewListWatch[*corev1.ConfigMap](core.ConfigMaps(namespace))
		},
	}.NewInformer(cache.WithNamespaces("default", "other"))
	must(err)
	must(r.Follow(r.informer))
	_, err = AddEventHandler(r.Coordinator, r.informer, r.recorder)
	must(err)
	ctx, stop := context.WithCancel(quiet(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.informer.Run(ctx)
	}()
	go func() {
		defer close(r.done)
		if err := r.Run(ctx); err != nil {
			t.Errorf("Run of %s: %v", identity, err)
		}
		<-ended
	}()
	r.stop = func() { stop(); <-r.done }
	t.Cleanup(r.stop)
	return r
}

// TestInformersFollowTheirShards runs three processes with informers of the runtime, one of which leaves, one loses
// the server, and one comes back. After each change, each object has one owner, whose cache and handler have it.
func TestInformersFollowTheirShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		core, err := corev1client.NewForConfig(&rest.Config{Host: server.URL(), Transport: server, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		change := func(name string, labels map[string]string) {
			t.Helper()
			obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: labels}}
			if _, err := core.ConfigMaps("default").Update(t.Context(), obj, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		createObjects(t, server, 200)
		elsewhere := cache.ObjectName{Namespace: "elsewhere", Name: "object-0"}
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: elsewhere.Namespace, Name: elsewhere.Name}}
		if _, err := core.ConfigMaps(elsewhere.Namespace).Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		replicas := map[string]*replica{}
		for _, identity := range []string{"pod-a", "pod-b", "pod-c"} {
			replicas[identity] = startReplica(t, server, identity)
		}
		settled := func(what string, alive ...string) {
			t.Helper()
			synctest.Wait()
			list, err := core.ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			cached := 0
			for _, identity := range alive {
				if _, ok := replicas[identity].informer.GetIndexer().Get(elsewhere); ok {
					t.Errorf("%s: %s has an object of a namespace that it does not follow", what, identity)
				}
			}
			for i := range list.Items {
				obj := &list.Items[i]
				owners := 0
				for _, identity := range alive {
					r := replicas[identity]
					if !r.Owns(obj) {
						continue
					}
					owners++
					if got, ok := r.informer.GetIndexer().Get(nameOf(obj)); !ok || got.ResourceVersion != obj.ResourceVersion {
						t.Errorf("%s: the cache of %s does not have %s", what, identity, obj.Name)
					}
					if !r.recorder.has(obj.Name) {
						t.Errorf("%s: the handler of %s does not have %s", what, identity, obj.Name)
					}
				}
				if owners != 1 {
					t.Errorf("%s: %s has %d owners", what, obj.Name, owners)
				}
			}
			for _, identity := range alive {
				r := replicas[identity]
				cached += r.informer.GetIndexer().Len()
				if ends, wrong := r.recorder.take(); len(ends)+len(wrong) > 0 {
					t.Errorf("%s: %s got OnDelete of %q, and %q", what, identity, ends, wrong)
				}
				if err := r.Status().Err; err != nil {
					t.Errorf("%s: Status of %s: %v", what, identity, err)
				}
			}
			t.Logf("%s: %d objects, %d cached", what, len(list.Items), cached)
		}
		time.Sleep(40 * time.Second)
		settled("the start", "pod-a", "pod-b", "pod-c")

		replicas["pod-b"].stop()
		for i := range 50 {
			change(fmt.Sprintf("object-%d", i), map[string]string{"round": "1"})
		}
		time.Sleep(20 * time.Second)
		settled("pod-b has left", "pod-a", "pod-c")

		replicas["pod-a"].line.cut.Store(true)
		time.Sleep(time.Minute)
		for i := range 50 {
			change(fmt.Sprintf("object-%d", 3*i), map[string]string{"round": "2"})
		}
		synctest.Wait()
		settled("pod-a is cut off", "pod-c")
		replicas["pod-a"].line.cut.Store(false)
		time.Sleep(time.Minute)
		settled("pod-a is back", "pod-a", "pod-c")

		replicas["pod-b"] = startReplica(t, server, "pod-b")
		time.Sleep(3 * time.Minute) // the caches drop what moved
		settled("pod-b is back", "pod-a", "pod-b", "pod-c")
		total := 0
		for _, r := range replicas {
			total += r.informer.GetIndexer().Len()
		}
		if total != 200 {
			t.Errorf("the caches have %d objects together, want each object once", total)
		}

		if err := core.ConfigMaps("default").Delete(t.Context(), "object-7", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		deleted := 0
		for _, r := range replicas {
			ends, _ := r.recorder.take()
			deleted += len(ends)
		}
		if deleted != 1 {
			t.Errorf("the handlers got OnDelete %d times, want once", deleted)
		}
	})
}
