package kubetest

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestExpired restarts the server, and changes pods before the informers can watch again.
// The new server has no events from before, so it answers 410. The relist has to report
// exactly the difference.
func TestExpired(t *testing.T) {
	const count = 600 // more than a page
	server := start(t)
	direct := clientFor(t, configOf(server))
	all := inNamespace(t, direct, "expired")
	createPods(t, direct, "expired", count)

	through := &link{tooLarge: 2} // the first list and the relist
	client := clientFor(t, through.through(configOf(server))).CoreV1().RESTClient()
	followers := map[string]*follower[*corev1.Pod]{
		"stream": follow[*corev1.Pod](t, client, pods, "expired", cache.WithStreamingList()),
		"pages":  follow[*corev1.Pod](t, client, pods, "expired"),
	}
	for _, f := range followers {
		f.awaitSync(t)
		if err := f.heard.AwaitEvents(within(t), count); err != nil {
			t.Fatal(err)
		}
	}

	release := through.hold()
	ctx := within(t)
	if err := server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pod-0003", "pod-0555"} {
		changed, err := all.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		changed.Labels = map[string]string{"changed": "yes"}
		if _, err := all.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := all.Create(ctx, pod("new"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	if err := all.Delete(ctx, "pod-0100", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	fresh, err := all.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	release()

	for name, f := range followers {
		if err := f.heard.Await(ctx, want(fresh)); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(f.failures(), status.Expired) {
			t.Errorf("%s: the server never answered 410: %v", name, f.failures())
		}
	}
	// Another event comes after those of the relists.
	marker, err := all.Create(ctx, pod("marker"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range followers {
		if err := f.heard.AwaitVersion(ctx, cache.MetaObjectToName(marker), marker.ResourceVersion); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range followers {
		// Two updates, an add and a delete, and the marker.
		if n := f.heard.Events() - count; n != 5 {
			t.Errorf("%s: the handler has received %d events after the restart, want 5", name, n)
		}
	}
	if lists := through.noted(); len(lists) != 2*(1+3) {
		t.Errorf("the informers have requested %v, want one stream, one list that fails and two pages each time", lists)
	}
}

// TestTokenExpires compacts etcd between two pages of a list. The informer reads the list
// from its beginning then.
func TestTokenExpires(t *testing.T) {
	// Without the watch cache each page is read from etcd.
	server := start(t, "--watch-cache=false")
	direct := clientFor(t, configOf(server))
	all := inNamespace(t, direct, "compacted")
	createPods(t, direct, "compacted", 600)

	through := &link{tooLarge: 1}
	var compacted bool
	config := through.through(configOf(server))
	config.Wrap(afterFirstPage(func() {
		compacted = true
		if err := server.Compact(); err != nil {
			t.Error(err)
		}
	}))
	f := follow[*corev1.Pod](t, clientFor(t, config).CoreV1().RESTClient(), pods, "compacted")
	f.awaitSync(t)
	if !compacted {
		t.Error("the list had one page only")
	}
	fresh, err := all.List(within(t), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	comparePods(t, f, fresh, func(*corev1.Pod) {})
	if lists := through.noted(); len(lists) < 4 || lists[len(lists)-1] != "list" {
		t.Errorf("the informer has requested %v, want one piece after the token that had expired", lists)
	}
}
