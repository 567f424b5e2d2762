package kubetest

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestCustomResource follows the example's kind, from before its CRD is installed.
func TestCustomResource(t *testing.T) {
	ctx := within(t)
	server := start(t)
	config := configOf(server)
	inNamespace(t, clientFor(t, config), "custom")
	client, err := versioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	resource := datav1.SchemeGroupVersion.WithResource("databases")
	f := follow[*datav1.Database](t, client.DataV1().RESTClient(), resource, "custom")
	f.awaitFailure(t, status.NotFound)
	newObjects(t, server).create(t, "../../examples/operator/config/crd/data.example.com_databases.yaml")
	f.awaitSync(t)

	databases := client.DataV1().Databases("custom")
	create := func(name string) *datav1.Database {
		t.Helper()
		created, err := databases.Create(ctx, &datav1.Database{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 1},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
	one, two := create("one"), create("two")
	one.Spec.StorageGi = 2
	if one, err = databases.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	two.Status.Phase = datav1.DatabaseReady
	if two, err = databases.UpdateStatus(ctx, two, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	versions := map[cache.ObjectName]string{
		cache.MetaObjectToName(one): one.ResourceVersion,
		cache.MetaObjectToName(two): two.ResourceVersion,
	}
	if err := f.heard.Await(ctx, versions); err != nil {
		t.Fatal(err)
	}
	if cached, _ := f.informer.GetStore().Get(cache.MetaObjectToName(two)); cached.Status.Phase != datav1.DatabaseReady || cached.Spec.Replicas != 1 {
		t.Errorf("cached is %+v", cached)
	}
	if err := databases.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	delete(versions, cache.MetaObjectToName(one))
	if err := f.heard.Await(ctx, versions); err != nil {
		t.Fatal(err)
	}
	if _, err := databases.Create(ctx, &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("the server does not check the schema: %v", err)
	}
}
