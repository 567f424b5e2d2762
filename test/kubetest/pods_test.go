package kubetest

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// want returns the version of each pod of a list.
func want(list *corev1.PodList) map[cache.ObjectName]string {
	versions := map[cache.ObjectName]string{}
	for i := range list.Items {
		versions[cache.MetaObjectToName(&list.Items[i])] = list.Items[i].ResourceVersion
	}
	return versions
}

// comparePods compares a cache with what client-go reads. change is applied to what
// client-go reads.
func comparePods(t *testing.T, f *follower[*corev1.Pod], list *corev1.PodList, change func(*corev1.Pod)) {
	t.Helper()
	if n := f.informer.GetStore().Len(); n != len(list.Items) {
		t.Errorf("%d pods are cached, and the server has %d", n, len(list.Items))
	}
	for i := range list.Items {
		fresh := list.Items[i].DeepCopy()
		change(fresh)
		cached, ok := f.informer.GetStore().Get(cache.MetaObjectToName(fresh))
		if !ok {
			t.Fatalf("%s is not cached", fresh.Name)
		}
		cached = cached.DeepCopy()
		cached.TypeMeta, fresh.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
		if !equality.Semantic.DeepEqual(cached, fresh) {
			t.Fatalf("cached is\n%v\nand the server has\n%v", cached, fresh)
		}
	}
}

// TestPods follows more pods than one page has, in each way, while they change.
func TestPods(t *testing.T) {
	const count = 1100
	client := clientFor(t, configOf(shared))
	all := inNamespace(t, client, "many")
	createPods(t, client, "many", count)

	for _, test := range []struct {
		name     string
		options  []cache.SharedInformerOption
		tooLarge int
		lists    []string
		change   func(*corev1.Pod)
	}{
		{"stream", []cache.SharedInformerOption{cache.WithStreamingList()}, 0, []string{"stream"}, func(*corev1.Pod) {}},
		{"one piece", nil, 0, []string{"list"}, func(*corev1.Pod) {}},
		{"pages", nil, 1, []string{"list", "page", "page", "page"}, func(*corev1.Pod) {}},
		{"without managedFields", []cache.SharedInformerOption{cache.WithoutFields("metadata.managedFields")}, 0, []string{"list"}, func(pod *corev1.Pod) {
			if len(pod.ManagedFields) == 0 {
				t.Errorf("the server has no managedFields of %s", pod.Name)
			}
			pod.ManagedFields = nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := within(t)
			through := &link{tooLarge: test.tooLarge}
			f := follow[*corev1.Pod](t, clientFor(t, through.through(configOf(shared))).CoreV1().RESTClient(), pods, "many", test.options...)
			f.awaitSync(t)
			if lists := through.noted(); !slices.Equal(lists, test.lists) {
				t.Errorf("the informer has requested %v, want %v", lists, test.lists)
			}
			fresh, err := all.List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(fresh.Items) != count {
				t.Fatalf("the server has %d pods, want %d", len(fresh.Items), count)
			}
			if err := f.heard.Await(ctx, want(fresh)); err != nil {
				t.Fatal(err)
			}
			comparePods(t, f, fresh, test.change)

			changed := fresh.Items[0].DeepCopy()
			changed.Labels = map[string]string{"changed": test.name[:3]}
			if _, err := all.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := all.Create(ctx, pod("new"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if fresh, err = all.List(ctx, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := f.heard.Await(ctx, want(fresh)); err != nil {
				t.Fatal(err)
			}
			comparePods(t, f, fresh, test.change)

			now := int64(0)
			if err := all.Delete(ctx, "new", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
				t.Fatal(err)
			}
			if fresh, err = all.List(ctx, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := f.heard.Await(ctx, want(fresh)); err != nil {
				t.Fatal(err)
			}
			comparePods(t, f, fresh, test.change)
			if s := f.informer.Status(); s.Phase != status.Watching || s.Objects != count || len(f.failures()) != test.tooLarge {
				t.Errorf("status is %v, after failures %v", s, f.failures())
			}
			if lists := through.noted(); !slices.Equal(lists, test.lists) {
				t.Errorf("the informer has listed again: %v", lists)
			}
		})
	}
}
