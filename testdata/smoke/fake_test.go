package smoke

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TestListWatchOfFake follows a typed client of a fake clientset, which knows no
// streaming lists, whose watches never end, and whose objects have no versions.
func TestListWatchOfFake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(order("tea", "ann"))
		kind := cache.Kind[*shopv1.Order]{ListWatch: func(string) cache.ListerWatcher[*shopv1.Order] {
			return cache.NewListWatch[*shopv1.Order](client.ShopV1().Orders("east"))
		}}
		informer, err := kind.NewInformer(cache.WithWatchErrorHandler(func(_ context.Context, _ schema.GroupVersionResource, err error) {
			t.Errorf("an error is reported: %v", err)
		}))
		if err != nil {
			t.Fatal(err)
		}
		adds, updates := 0, 0
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*shopv1.Order]{
			AddFunc:    func(*shopv1.Order, bool) { adds++ },
			UpdateFunc: func(_, _ *shopv1.Order) { updates++ },
		}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); informer.Run(ctx) }()
		synctest.Wait()
		if !informer.HasSynced() || informer.Status().Phase != cache.Watching {
			t.Errorf("not synced at once: %v", informer.Status())
		}
		if _, err := client.ShopV1().Orders("east").Create(ctx, order("ink", "bob"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if adds != 2 || updates != 0 || informer.Status().Phase != cache.Watching {
			t.Errorf("after an hour: %d adds and %d updates, status %v", adds, updates, informer.Status())
		}
		cancel()
		<-ended
	})
}
