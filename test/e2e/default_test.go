package e2e

import (
	"fmt"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/testserver"
)

// TestNewDefaultIsAnUpdate adds a default to the schema of a CRD: the server then answers
// with it at the resourceVersion that the object had without it.
func TestNewDefaultIsAnUpdate(t *testing.T) {
	server := testserver.Start(t)
	crds, err := testserver.LoadCRDs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	crds = slices.DeleteFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool { return crd.Spec.Names.Plural != "databases" })
	spec := crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	replicas := spec["replicas"]
	setDefault := func(value *apiextensionsv1.JSON) {
		t.Helper()
		replicas.Default = value
		spec["replicas"] = replicas
		if err := server.InstallCRDs(within(t), crds...); err != nil {
			t.Fatal(err)
		}
	}
	one := replicas.Default
	setDefault(nil)
	databases := clientOf(t, server).DataV1().Databases("a")
	create := func(name string) *datav1.Database {
		t.Helper()
		db, err := databases.Create(within(t), database(name, 1), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	old := create("old")
	if one == nil || old.Spec.Replicas != 0 {
		t.Fatalf("the default is %v, and without it there are %d replicas", one, old.Spec.Replicas)
	}

	// All that there is to lists: streams or not, bodies or a typed client.
	var logs []*log
	var stores []cache.Store[*datav1.Database]
	for _, options := range [][]informers.SharedInformerOption{
		{cache.WithStreamingList()},
		nil,
		{typedDatabases(clientOf(t, server)), cache.WithStreamingList()},
		{typedDatabases(clientOf(t, server))},
	} {
		heard := newLog()
		factory := startFactory(t, clientOf(t, server), func(f informers.SharedInformerFactory) {
			informer := f.Data().V1().Databases().Informer()
			stores = append(stores, informer.GetStore())
			if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
				AddFunc: func(db *datav1.Database, _ bool) {
					heard.note(fmt.Sprintf("add %s with %d", db.Name, db.Spec.Replicas))
				},
				UpdateFunc: func(before, db *datav1.Database) {
					heard.note(fmt.Sprintf("update %s %v from %d to %d", db.Name, before.ResourceVersion == db.ResourceVersion, before.Spec.Replicas, db.Spec.Replicas))
				},
				DeleteFunc: func(db *datav1.Database, _ bool) { heard.note("delete " + db.Name) },
			}); err != nil {
				t.Fatal(err)
			}
		}, options...)
		if err := factory.WaitForCacheSync(within(t)); err != nil {
			t.Fatal(err)
		}
		heard.await(t, "add old with 0")
		logs = append(logs, heard)
	}

	setDefault(one)
	for i, heard := range logs {
		heard.await(t, "add old with 0", "update old true from 0 to 1")
		if db, ok := stores[i].Get(cache.MetaObjectToName(old)); !ok || db.Spec.Replicas != 1 || db.ResourceVersion != old.ResourceVersion {
			t.Errorf("informer %d: cached is %+v, want the default at version %s", i, db, old.ResourceVersion)
		}
	}

	// Another change of the schema, which changes no object, leads to another list.
	replicas.Description = "How many servers there are."
	setDefault(one)
	create("new")
	for _, heard := range logs {
		heard.await(t, "add old with 0", "update old true from 0 to 1", "add new with 1")
	}
}

// typedDatabases lets an informer list and watch with the typed client.
func typedDatabases(client versioned.Interface) informers.SharedInformerOption {
	return cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*datav1.Database] {
		return cache.NewListWatch[*datav1.Database](client.DataV1().Databases(namespace))
	})
}
