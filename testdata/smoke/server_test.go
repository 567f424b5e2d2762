package smoke

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	"k8s.io/client-go/metadata"
	clienttesting "k8s.io/client-go/testing"
	clientgo "k8s.io/client-go/tools/cache"

	plantv1 "github.com/typedinformers/informer-gen/testdata/apis/plant/v1"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	typedplantv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/plant/v1"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// verbsOf returns what a clientset has recorded of a resource.
func verbsOf(client *fake.Clientset, resource string) (verbs []string) {
	for _, action := range client.Actions() {
		if action.GetResource().Resource == resource {
			verbs = append(verbs, action.GetVerb())
		}
	}
	return verbs
}

// following is an informer of Orders in a synctest bubble.
type following struct {
	*cache.SharedIndexInformer[*shopv1.Order]
	events []string
	errs   []error
}

// follow starts an informer of Orders, which is stopped when the test ends.
func follow(t *testing.T, client *fake.Clientset) *following {
	t.Helper()
	f := &following{}
	handle := func(_ context.Context, _ schema.GroupVersionResource, err error) { f.errs = append(f.errs, err) }
	factory := informers.NewSharedInformerFactory(client, 0, cache.WithWatchErrorHandler(handle))
	f.SharedIndexInformer = factory.Shop().V1().Orders().Informer()
	_, err := f.AddEventHandler(cache.ResourceEventHandlerFuncs[*shopv1.Order]{
		AddFunc:    func(o *shopv1.Order, _ bool) { f.events = append(f.events, "add "+o.Name) },
		UpdateFunc: func(_, o *shopv1.Order) { f.events = append(f.events, "update "+o.Name+" "+o.Spec.Customer) },
		DeleteFunc: func(o *shopv1.Order, _ bool) { f.events = append(f.events, "delete "+o.Name) },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	synctest.Wait()
	return f
}

func (f *following) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if !slices.Equal(f.events, want) {
		t.Errorf("the handler has %v, want %v; the informer is %v", f.events, want, f.Status())
	}
	f.events = nil
}

// TestInformerOfServer follows a server through the REST client, with a streaming list that
// reactors see as a list and a watch.
func TestInformerOfServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(order("tea", "ann"))
		f := follow(t, client)
		f.expect(t, "add tea")
		if got, want := verbsOf(client, "orders"), []string{"list", "watch"}; !slices.Equal(got, want) {
			t.Errorf("the informer has sent %v, want %v", got, want)
		}
		orders := client.ShopV1().Orders("east")
		changed := order("tea", "bob")
		changed.ResourceVersion = f.Status().ResourceVersion
		if _, err := orders.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		f.expect(t, "update tea bob")
		for range 200 { // client-go's fake panics after 100
			if _, err := orders.Create(ctx, &shopv1.Order{ObjectMeta: metav1.ObjectMeta{GenerateName: "ink-"}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := orders.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=tea"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(f.events); n != 201 || f.events[200] != "delete tea" || len(f.errs) > 0 {
			t.Errorf("%d events, errors %v", n, f.errs)
		}
		f.events = nil
		time.Sleep(24 * time.Hour)
		f.expect(t)
		if len(f.errs) > 0 || f.Status().Phase != status.Watching {
			t.Errorf("after a day: %v, %v", f.errs, f.Status())
		}
	})
}

// TestListReactor answers the list of an informer.
func TestListReactor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(order("tea", "ann"))
		var allowed atomic.Bool
		client.PrependReactor("list", "orders", func(clienttesting.Action) (bool, runtime.Object, error) {
			if !allowed.Load() {
				return true, nil, apierrors.NewForbidden(shopv1.SchemeGroupVersion.WithResource("orders").GroupResource(), "", errors.New("no role allows it"))
			}
			return true, &shopv1.OrderList{Items: []shopv1.Order{*order("ink", "eve")}}, nil
		})
		f := follow(t, client)
		f.expect(t)
		if f.HasSynced() || len(f.errs) == 0 || !apierrors.IsForbidden(f.errs[0]) {
			t.Errorf("the informer is %v, with %v", f.Status(), f.errs)
		}
		allowed.Store(true)
		time.Sleep(time.Hour)
		f.expect(t, "add ink")
		if _, err := client.ShopV1().Orders("east").Create(ctx, order("pen", "eve"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		f.expect(t, "add pen")
	})
}

// TestWatchReactor sends the events of a fake watch to an informer.
func TestWatchReactor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(order("tea", "ann"))
		watches := make([]*watch.FakeWatcher, 0, 3)
		client.PrependWatchReactor("orders", func(clienttesting.Action) (bool, watch.Interface, error) {
			watches = append(watches, watch.NewFake())
			return true, watches[len(watches)-1], nil
		})
		f := follow(t, client)
		f.expect(t, "add tea")
		versioned := func(o *shopv1.Order, version string) *shopv1.Order {
			o.ResourceVersion = version
			return o
		}
		watches[0].Add(versioned(order("ink", "eve"), "11"))
		watches[0].Modify(versioned(order("ink", "joe"), "12"))
		watches[0].Delete(versioned(order("ink", "joe"), "13"))
		f.expect(t, "add ink", "update ink joe", "delete ink")
		watches[0].Stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(watches) < 2 {
			t.Fatal("the informer has not started a second watch")
		}
		last := watches[len(watches)-1]
		last.Error(&metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old"})
		time.Sleep(time.Hour)
		f.expect(t)
		if !slices.ContainsFunc(f.errs, apierrors.IsResourceExpired) {
			t.Errorf("the errors are %v", f.errs)
		}
		if !last.IsStopped() {
			t.Error("the client has not stopped the watch that it was given")
		}
	})
}

// streamingSource tells the reflector of client-go whether its clientset has streaming lists. client-go v0.34
// has no function that does that.
type streamingSource struct {
	*clientgo.ListWatch
	clientset *fake.Clientset
}

func (s streamingSource) IsWatchListSemanticsUnSupported() bool {
	return s.clientset.IsWatchListSemanticsUnSupported()
}

// TestReflectorOfServer follows a server with an informer of client-go, which uses streaming lists.
func TestReflectorOfServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(order("tea", "ann"))
		orders := client.ShopV1().Orders("east")
		source := streamingSource{&clientgo.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				if features.FeatureGates().Enabled(features.WatchListClient) { // the default since client-go v0.35
					t.Error("the reflector lists")
				}
				return orders.List(ctx, options)
			},
			WatchFuncWithContext: orders.Watch,
		}, client}
		// Without a resync, client-go v0.34 waits for a channel from outside of the bubble.
		informer := clientgo.NewSharedIndexInformer(source, &shopv1.Order{}, time.Hour, nil)
		runCtx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); informer.RunWithContext(runCtx) }()
		synctest.Wait()
		if keys := informer.GetStore().ListKeys(); !informer.HasSynced() || !slices.Equal(keys, []string{"east/tea"}) {
			t.Errorf("client-go's informer has %v", keys)
		}
		cancel()
		<-ended
	})
}

// TestSelectedInformer follows the objects that a typed field selector selects.
func TestSelectedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		red, blue := "red", "blue"
		robot := func(name string, color *string) *plantv1.Robot {
			return &plantv1.Robot{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: name}, Spec: plantv1.RobotSpec{Color: color}}
		}
		client := fake.NewClientset(robot("a", &red), robot("b", &blue))
		factory := informers.NewSharedInformerFactory(client, 0, cache.WithFieldSelector(typedplantv1.RobotFieldSpecColor.Is("red")))
		informer := factory.Plant().V1().Robots().Informer()
		factory.Start(t.Context())
		defer factory.Shutdown()
		names := func() (names []string) {
			synctest.Wait()
			for robot := range informer.GetIndexer().All() {
				names = append(names, robot.Name)
			}
			slices.Sort(names)
			return names
		}
		if got := names(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("the cache has %v", got)
		}
		b, err := client.PlantV1().Robots("east").Get(ctx, "b", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b.Spec.Color = &red
		if _, err := client.PlantV1().Robots("east").Update(ctx, b, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := names(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("after b has become red, the cache has %v", got)
		}
	})
}

// TestOtherClients reads with other clients what a clientset has written, and two clientsets of one
// server record their own actions.
func TestOtherClients(t *testing.T) {
	first := fake.NewClientset(order("tea", "ann"))
	second := fake.NewClientsetFor(first.Server(), order("ink", "eve"))
	resource := shopv1.SchemeGroupVersion.WithResource("orders")
	dynamicClient, err := dynamic.NewForConfig(first.Config())
	if err != nil {
		t.Fatal(err)
	}
	all, err := dynamicClient.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil || len(all.Items) != 2 || all.Items[0].GetName() != "ink" {
		t.Errorf("the dynamic client lists %v, %v", all, err)
	}
	metadataClient, err := metadata.NewForConfig(first.Config())
	if err != nil {
		t.Fatal(err)
	}
	meta, err := metadataClient.Resource(resource).Namespace("east").Get(ctx, "tea", metav1.GetOptions{})
	if err != nil || meta.Name != "tea" || meta.UID == "" {
		t.Errorf("the metadata client gets %v, %v", meta, err)
	}
	if err := second.ShopV1().Orders("east").Delete(ctx, "tea", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := verbsOf(first, "orders"); !slices.Equal(got, []string{"list", "get"}) {
		t.Errorf("the first clientset has recorded %v", got)
	}
	if got := verbsOf(second, "orders"); !slices.Equal(got, []string{"delete"}) {
		t.Errorf("the second clientset has recorded %v", got)
	}
	if simple := fake.NewSimpleClientset(); simple.Server() != nil || simple.Config() != nil {
		t.Error("NewSimpleClientset has a server")
	}
}

// TestDiscoveryOfServer finds the resources of the clientset.
func TestDiscoveryOfServer(t *testing.T) {
	resources, err := fake.NewClientset().Discovery().ServerResourcesForGroupVersion(plantv1.GroupVersion.String())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Name == "robots" })
	if at < 0 || !slices.Equal(resources.APIResources[at].ShortNames, []string{"rb", "rbt"}) || !slices.Equal(resources.APIResources[at].Categories, []string{"all", "plant"}) {
		t.Errorf("the resources are %+v", resources.APIResources)
	}
	if !slices.ContainsFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Name == "robots/scale" && r.Kind == "Scale" }) {
		t.Errorf("there is no scale in %+v", resources.APIResources)
	}
}

// TestScaleOfServer reads and writes the subresource of a kind with +kubebuilder:subresource:scale.
func TestScaleOfServer(t *testing.T) {
	replicas := int32(2)
	client := fake.NewClientset(&plantv1.Robot{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "a"}, Spec: plantv1.RobotSpec{Replicas: &replicas}})
	robots := client.PlantV1().Robots("east")
	scale, err := robots.GetScale(ctx, "a", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 2 {
		t.Fatalf("the scale is %+v, %v", scale, err)
	}
	scale.Spec.Replicas = 5
	if scale, err = robots.UpdateScale(ctx, "a", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 5 {
		t.Fatalf("the new scale is %+v, %v", scale, err)
	}
	robot, err := robots.Get(ctx, "a", metav1.GetOptions{})
	if err != nil || *robot.Spec.Replicas != 5 || robot.Generation != 2 {
		t.Errorf("the robot is %+v, %v", robot, err)
	}
}

// TestAddedObjects refuses what no server has.
func TestAddedObjects(t *testing.T) {
	refuse := func(want string, obj runtime.Object) {
		t.Helper()
		defer func() {
			err, _ := recover().(error)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the panic is %v, want %s", err, want)
			}
		}()
		fake.NewClientset(obj)
	}
	refuse("namespaced", &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Name: "tea"}})
	refuse("Invalid value", order("UPPER", "ann"))
	client := fake.NewClientset(&shopv1.OrderList{Items: []shopv1.Order{*order("tea", "ann"), *order("ink", "eve")}})
	all, err := client.ShopV1().Orders("").List(ctx, metav1.ListOptions{})
	if err != nil || len(all.Items) != 2 {
		t.Errorf("the orders of a list: %v, %v", all, err)
	}
}

// TestTrackerOfServer writes past the clients, with the types of the clientset.
func TestTrackerOfServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		tracker, resource := client.Tracker(), shopv1.SchemeGroupVersion.WithResource("orders")
		w, err := tracker.Watch(resource, "east")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		paid := order("tea", "ann")
		paid.Status.Phase = "Paid"
		if err := tracker.Create(resource, paid, "east"); err != nil {
			t.Fatal(err)
		}
		if err := tracker.Create(resource, paid, "east"); !apierrors.IsAlreadyExists(err) {
			t.Errorf("a second order of the name: %v", err)
		}
		obj, err := tracker.Get(resource, "east", "tea")
		if err != nil {
			t.Fatal(err)
		}
		stored := obj.(*shopv1.Order)
		if stored.Status.Phase != "Paid" || stored.UID == "" || stored.Generation != 1 {
			t.Errorf("created: %+v", stored)
		}
		sent := order("tea", "bob") // without a version
		sent.Status.Phase = "Sent"
		if err := tracker.Update(resource, sent, "east"); err != nil {
			t.Fatal(err)
		}
		if err := tracker.Update(resource, stored, "east"); !apierrors.IsConflict(err) {
			t.Errorf("an update of an old version: %v", err)
		}
		list, err := tracker.List(resource, shopv1.SchemeGroupVersion.WithKind("Order"), "")
		if err != nil {
			t.Fatal(err)
		}
		if all := list.(*shopv1.OrderList); len(all.Items) != 1 || all.Items[0].Status.Phase != "Sent" || all.Items[0].Generation != 2 || all.ResourceVersion == "" {
			t.Errorf("the orders are %+v", all)
		}
		if err := tracker.Delete(resource, "east", "tea"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"ADDED ann Paid", "MODIFIED bob Sent", "DELETED bob Sent"} {
			event := <-w.ResultChan()
			seen := event.Object.(*shopv1.Order)
			if got := fmt.Sprintf("%s %s %s", event.Type, seen.Spec.Customer, seen.Status.Phase); got != want {
				t.Errorf("the event is %s, want %s", got, want)
			}
		}
		if len(client.Actions()) > 0 {
			t.Errorf("the tracker is recorded: %v", client.Actions())
		}
	})
}

// TestKindOfGoType gives objects to a fake clientset whose TypeMeta is incomplete or wrong. client-go's fakes accept
// them, because the Go type tells the kind.
func TestKindOfGoType(t *testing.T) {
	wrong := []metav1.TypeMeta{{}, {APIVersion: "shop.example.com/v1"}, {Kind: "Order"}, {APIVersion: "shop.example.com/v7", Kind: "Box"}, {APIVersion: "v1", Kind: "Secret"}}
	var objects []runtime.Object
	for i, meta := range wrong {
		o := order(fmt.Sprint("tea-", i), "ann")
		o.TypeMeta = meta
		objects = append(objects, o)
	}
	for name, client := range map[string]*fake.Clientset{
		"NewClientset": fake.NewClientset(objects...), "NewClientsetFor": fake.NewClientsetFor(apitest.Start(t), objects...),
		"NewSimpleClientset": fake.NewSimpleClientset(objects...),
	} {
		orders := client.ShopV1().Orders("east")
		for i, meta := range wrong {
			o, err := orders.Get(ctx, fmt.Sprint("tea-", i), metav1.GetOptions{})
			if err != nil {
				t.Errorf("%s with %+v: %v", name, meta, err)
				continue
			}
			o.TypeMeta = meta
			if _, err := orders.Update(ctx, o, metav1.UpdateOptions{}); err != nil {
				t.Errorf("%s: Update with %+v: %v", name, meta, err)
			}
			created := order(fmt.Sprint("ink-", i), "ann")
			created.TypeMeta = meta
			if _, err := orders.Create(ctx, created, metav1.CreateOptions{}); err != nil {
				t.Errorf("%s: Create with %+v: %v", name, meta, err)
			}
			if err := client.Tracker().Update(shopv1.SchemeGroupVersion.WithResource("orders"), created, "east"); err != nil {
				t.Errorf("%s: Update of the tracker with %+v: %v", name, meta, err)
			}
		}
	}
}

// TestReactorWithWrongKind answers with objects whose TypeMeta is wrong.
func TestReactorWithWrongKind(t *testing.T) {
	for _, meta := range []metav1.TypeMeta{{APIVersion: "shop.example.com/v1"}, {Kind: "Order"}, {APIVersion: "shop.example.com/v7", Kind: "Box"}} {
		synctest.Test(t, func(t *testing.T) {
			client := fake.NewClientset()
			tea := order("tea", "ann")
			tea.TypeMeta = meta
			client.PrependReactor("get", "orders", func(clienttesting.Action) (bool, runtime.Object, error) { return true, tea, nil })
			client.PrependReactor("list", "orders", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, &shopv1.OrderList{TypeMeta: meta, Items: []shopv1.Order{*tea}}, nil
			})
			watcher := watch.NewFakeWithChanSize(1, false)
			client.PrependWatchReactor("orders", clienttesting.DefaultWatchReactor(watcher, nil))
			client.PrependReactor("create", "orders", func(action clienttesting.Action) (bool, runtime.Object, error) {
				o := action.(clienttesting.CreateAction).GetObject().(*shopv1.Order)
				o.TypeMeta, o.Spec.Customer = meta, "eve"
				return false, nil, nil
			})
			orders := client.ShopV1().Orders("east")
			if o, err := orders.Get(ctx, "tea", metav1.GetOptions{}); err != nil || o.Spec.Customer != "ann" {
				t.Errorf("Get with %+v: %v, %v", meta, o, err)
			}
			if list, err := orders.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
				t.Errorf("List with %+v: %v, %v", meta, list, err)
			}
			if o, err := orders.Create(ctx, order("ink", "ann"), metav1.CreateOptions{}); err != nil || o.Spec.Customer != "eve" {
				t.Errorf("Create with %+v: %v, %v", meta, o, err)
			}
			f := follow(t, client)
			f.expect(t, "add tea")
			pen := order("pen", "ann")
			pen.TypeMeta = meta
			watcher.Add(pen)
			f.expect(t, "add pen")
			if len(f.errs) > 0 {
				t.Errorf("with %+v: %v", meta, f.errs)
			}
		})
	}
}

// TestRefusedKind gives a fake clientset a server on which one of its kinds has another scope. That concerns only this kind.
func TestRefusedKind(t *testing.T) {
	server := apitest.Start(t, apitest.WithKinds(apitest.Kind{GroupVersionKind: shopv1.SchemeGroupVersion.WithKind("Order"), Resource: "orders"}))
	client := fake.NewClientsetFor(server)
	if _, err := client.PlantV1().Robots("east").List(ctx, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.ShopV1().Orders("east").Get(ctx, "tea", metav1.GetOptions{}); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "give them one scope") {
		t.Errorf("the error of a client of the other scope is %v", err)
	}
}

// TestRestoreAndBump restores a server that an informer follows. RestoreTo alone leaves it with an object that is gone.
func TestRestoreAndBump(t *testing.T) {
	for _, bump := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			client := fake.NewClientset(order("tea", "ann"))
			tea, err := client.ShopV1().Orders("east").Get(ctx, "tea", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.ShopV1().Orders("east").Create(ctx, order("ink", "ann"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			f := follow(t, client)
			if n := f.GetStore().Len(); n != 2 {
				t.Fatalf("%d objects before the restore", n)
			}
			restore, want := client.Server().RestoreTo, 2
			if bump {
				restore, want = client.Server().RestoreAndBump, 1
			}
			if err := restore(tea.ResourceVersion); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if n := f.GetStore().Len(); n != want {
				t.Errorf("bump %t: %d objects, want %d; %v", bump, n, want, f.Status())
			}
		})
	}
}
