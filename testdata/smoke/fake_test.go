package smoke

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	plantv1 "github.com/typedinformers/informer-gen/testdata/apis/plant/v1"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/writes"
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
		if !informer.HasSynced() || informer.Status().Phase != status.Watching {
			t.Errorf("not synced at once: %v", informer.Status())
		}
		if _, err := client.ShopV1().Orders("east").Create(ctx, order("ink", "bob"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if adds != 2 || updates != 0 || informer.Status().Phase != status.Watching {
			t.Errorf("after an hour: %d adds and %d updates, status %v", adds, updates, informer.Status())
		}
		cancel()
		<-ended
	})
}

// TestFieldsOfFake keeps some fields of the objects of fake clientsets. That of NewSimpleClientset has no transport, so nothing guards
// it. A client of the server of NewClientset is guarded as that of a program.
func TestFieldsOfFake(t *testing.T) {
	robot, _, _ := robots()
	for name, isGuarded := range map[string]bool{"server": true, "server with marks": true, "tracker": false} {
		t.Run(name, func(t *testing.T) {
			own, client := &writes.Observer{}, versioned.Interface(fake.NewSimpleClientset(robot))
			options := []cache.SharedInformerOption{cache.WithUpdateGuard(own), cache.WithOptionsFor[*plantv1.Robot](cache.WithFields("metadata.labels"))}
			var ofServer []apitest.Option
			if name == "server with marks" {
				ofServer = append(ofServer, apitest.WithFieldDetector())
			} else {
				options = append(options, cache.WithFieldDetector())
			}
			if isGuarded {
				config := fake.NewClientsetFor(apitest.Start(t, ofServer...), robot).Config()
				config.Wrap(own.Transport)
				client = versioned.NewForConfigOrDie(config)
			}
			factory := informers.NewSharedInformerFactory(client, 0, options...)
			lister := factory.Plant().V1().Robots().Lister()
			start(t, factory)
			got, err := lister.Robots(robot.Namespace).Get(robot.Name)
			if err != nil {
				t.Fatal(err)
			}
			const unread = "left out by WithFields: metadata.annotations"
			if !maps.Equal(got.Labels, robot.Labels) || got.Annotations[unread] != unread || reflect.DeepEqual(got.Spec, robot.Spec) {
				t.Errorf("the robot is %+v", got)
			}
			if _, err = client.PlantV1().Robots(robot.Namespace).Update(t.Context(), got, metav1.UpdateOptions{}); errors.Is(err, writes.ErrFieldsLeftOut) != isGuarded {
				t.Errorf("the error of an update is %v", err)
			}
		})
	}
}
