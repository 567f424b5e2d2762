package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	typeddatav1 "github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/typed/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/testserver"
)

func TestInformerHearsWhatTheClientsetDoes(t *testing.T) {
	client := clientOf(t, shared)
	databases := client.DataV1().Databases("story")
	ctx := within(t)
	if _, err := databases.Create(ctx, database("first", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.DataV1().Databases("elsewhere").Create(ctx, database("other", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard := newLog()
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
	}, informers.WithNamespace("story"))
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add first 1 initial")

	second, err := databases.Create(ctx, database("second", 2), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if second.Spec.Replicas != 1 {
		t.Errorf("the server's default was not read: %d replicas", second.Spec.Replicas)
	}
	second.Spec.StorageGi = 3
	if second, err = databases.Update(ctx, second, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add first 1 initial", "add second 2", "update second 3")
	lister := factory.Data().V1().Databases().Lister()
	cached, err := lister.Databases("story").Get("second")
	if err != nil || cached.ResourceVersion != second.ResourceVersion {
		t.Errorf("the lister answers %v, %v, want version %s", cached, err, second.ResourceVersion)
	}

	second.Status.Endpoint = "second.example.com:5432"
	if _, err := databases.UpdateStatus(ctx, second, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch := []byte(`{"spec":{"storageGi":4},"metadata":{"labels":{"size":"small"}}}`)
	if _, err := databases.Patch(ctx, "second", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := databases.Delete(ctx, "first", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add first 1 initial", "add second 2", "update second 3", "update second 3", "update second 4", "delete first 1")
	small, err := lister.List(labels.SelectorFromSet(labels.Set{"size": "small"}))
	if err != nil || len(small) != 1 || small[0].Status.Endpoint != "second.example.com:5432" {
		t.Errorf("the lister selects %v, %v", small, err)
	}
	if _, err := lister.Databases("story").Get("first"); !apierrors.IsNotFound(err) {
		t.Errorf("the lister answers %v for what is gone", err)
	}
	if err := databases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add first 1 initial", "add second 2", "update second 3", "update second 3", "update second 4", "delete first 1", "delete second 4")
}

// TestSelectableFields has the server select by fields that only the CRD knows.
func TestSelectableFields(t *testing.T) {
	client := clientOf(t, shared)
	ctx := within(t)
	databases := client.DataV1().Databases("selected")
	for _, name := range []string{"done", "waiting"} {
		db, err := databases.Create(ctx, database(name, 1), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if db.Status.Phase = datav1.DatabasePending; name == "done" {
			db.Status.Phase = datav1.DatabaseReady
		}
		if _, err := databases.UpdateStatus(ctx, db, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	ready := typeddatav1.DatabaseFieldStatusPhase.Is(datav1.DatabaseReady)
	list, err := databases.List(ctx, metav1.ListOptions{FieldSelector: ready.String()})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "done" {
		t.Fatalf("the server selects %v, %v", list.Items, err)
	}

	heard := newLog()
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
	}, informers.WithNamespace("selected"), cache.WithFieldSelector(ready))
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add done 1 initial")
	waiting, err := databases.Get(ctx, "waiting", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waiting.Status.Phase = datav1.DatabaseReady
	if _, err := databases.UpdateStatus(ctx, waiting, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add done 1 initial", "add waiting 1")
	users, err := factory.Data().V1().Databases().Lister().ByClass(waiting.Spec.ClassName)
	if err != nil || len(users) != 2 {
		t.Errorf("the index has %v, %v", users, err)
	}
}

func TestFactoryTweaksAndForResource(t *testing.T) {
	client := clientOf(t, shared)
	ctx := within(t)
	for name, tier := range map[string]string{"gold": "1", "lead": "3"} {
		db := database(name, 1)
		db.Labels = map[string]string{"tier": tier}
		if _, err := client.DataV1().Databases("tiers").Create(ctx, db, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	resource := datav1.SchemeGroupVersion.WithResource("databases")
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		if _, err := f.ForResource(resource); err != nil {
			t.Fatal(err)
		}
	}, informers.WithNamespace("tiers"),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "tier=1" }),
		informers.WithTransform(func(db *datav1.Database) (*datav1.Database, error) {
			db.ManagedFields = nil
			return db, nil
		}))
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	generic, err := factory.ForResource(resource)
	if err != nil {
		t.Fatal(err)
	}
	objs, err := generic.Lister().ByNamespace("tiers").List(nil)
	if err != nil || len(objs) != 1 || objs[0].GetName() != "gold" || objs[0].GetManagedFields() != nil {
		t.Errorf("the generic lister answers %v, %v", objs, err)
	}
	if _, err := factory.ForResource(datav1.SchemeGroupVersion.WithResource("datebases")); err == nil || !strings.Contains(err.Error(), "datebases") {
		t.Errorf("ForResource of a resource that is not there: %v", err)
	}
}

// TestFirstList reads more objects than one page has, in each way.
func TestFirstList(t *testing.T) {
	const count = 1100
	create(t, clientOf(t, shared).DataV1().Databases("many").Create, count)
	for name, test := range map[string]struct {
		options  []informers.SharedInformerOption
		tooLarge bool
		want     []string
	}{
		"stream":    {options: []informers.SharedInformerOption{cache.WithStreamingList()}, want: []string{"stream"}},
		"one piece": {want: []string{"list"}},
		"pages":     {tooLarge: true, want: []string{"list", "page", "page", "page"}},
	} {
		t.Run(name, func(t *testing.T) {
			client, lists := tellLists(t, shared, test.tooLarge, &sync.Mutex{})
			factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
				f.Data().V1().Databases().Informer()
			}, append(test.options, informers.WithNamespace("many"))...)
			if err := factory.WaitForCacheSync(within(t)); err != nil {
				t.Fatal(err)
			}
			if n := factory.Data().V1().Databases().Informer().GetStore().Len(); n != count {
				t.Errorf("%d objects are cached, want %d", n, count)
			}
			var asked []string
			for len(lists) > 0 {
				asked = append(asked, <-lists)
			}
			if !slices.Equal(asked, test.want) {
				t.Errorf("the informer asks for %v, want %v", asked, test.want)
			}
		})
	}
}

type createFunc = func(context.Context, *datav1.Database, metav1.CreateOptions) (*datav1.Database, error)

func create(t *testing.T, create createFunc, count int) {
	t.Helper()
	names := make(chan string)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for name := range names {
				if _, err := create(t.Context(), database(name, 1), metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range count {
		names <- fmt.Sprintf("db-%04d", n)
	}
	close(names)
	writers.Wait()
}

func TestInformerWaitsForItsCRD(t *testing.T) {
	server := testserver.Start(t)
	heard := newLog()
	factory := startFactory(t, clientOf(t, server), func(f informers.SharedInformerFactory) {
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
	})
	informer := factory.Data().V1().Databases().Informer()
	var err error
	var notSynced *cache.NotSyncedError
	for ctx := within(t); ctx.Err() == nil; { // once, but on a slow machine, on which it lists later
		short, cancel := context.WithTimeout(ctx, time.Second)
		err = factory.WaitForCacheSync(short)
		cancel()
		if errors.As(err, &notSynced) && notSynced.Waiting[0].Status.Err != nil {
			break
		}
	}
	if !errors.As(err, &notSynced) || !strings.Contains(err.Error(), "databases.data.example.com: Degraded for ") {
		t.Errorf("without the CRD the wait says: %v", err)
	}
	if s := informer.Status(); s.Reason != status.NotFound {
		t.Errorf("status is %v", s)
	}
	install(t, server)
	if err := factory.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := clientOf(t, server).DataV1().Databases("a").Create(within(t), database("late", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add late 1")
}

// TestInformerSurvivesARestart changes the collection while the server's memory
// of what came before is gone: after the restart the watch has to begin anew.
func TestInformerSurvivesARestart(t *testing.T) {
	server := testserver.Start(t)
	install(t, server)
	client := clientOf(t, server)
	for _, name := range []string{"kept", "gone"} {
		if _, err := client.DataV1().Databases("a").Create(within(t), database(name, 1), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	heard := newLog()
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
	})
	if err := factory.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	heard.await(t, "add gone 1 initial", "add kept 1 initial")
	if err := server.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	install(t, server) // waits until the kind is served again
	if err := client.DataV1().Databases("a").Delete(within(t), "gone", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.DataV1().Databases("a").Create(within(t), database("new", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.awaitState(t, "kept", "new")
}

// awaitWatching waits until a watch of the informer has sent something. It creates and deletes objects for that, and
// leaves none.
func awaitWatching(t *testing.T, client *versioned.Clientset, informer *cache.SharedIndexInformer[*datav1.Database]) {
	t.Helper()
	ctx := within(t)
	untilWatching(t, informer.Status, func() {
		const name = "mark"
		mark, err := client.DataV1().Databases("a").Create(ctx, database(name, 1), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := informer.WaitFor(ctx, mark.ResourceVersion); err != nil {
			t.Fatal(err)
		}
		if err := client.DataV1().Databases("a").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestInformerSurvivesCompaction has its watch cut by a change of the CRD, after
// which the version that it was at is gone: the server answers 410.
func TestInformerSurvivesCompaction(t *testing.T) {
	server := testserver.Start(t, testserver.WithoutWatchCache())
	crds := install(t, server)
	var watches sync.RWMutex
	client, lists := tellLists(t, server, false, watches.RLocker())
	heard := newLog()
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
	})
	compact := func() {
		watches.Lock() // until the version of the watch that was cut is gone
		defer watches.Unlock()
		if err := server.InstallCRDs(within(t), crds...); err != nil {
			t.Fatal(err)
		}
		if err := server.Compact(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if err := factory.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	<-lists // the first one
	for _, name := range []string{"before", "between"} {
		awaitWatching(t, client, factory.Data().V1().Databases().Informer())
		if _, err := client.DataV1().Databases("a").Create(within(t), database(name, 1), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, crd := range crds {
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Description = name
		}
		compact()
		select {
		case <-lists:
		case <-within(t).Done():
			t.Fatal("the informer did not list anew")
		}
	}
	if _, err := client.DataV1().Databases("a").Create(within(t), database("after", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.awaitState(t, "after", "before", "between")
}
