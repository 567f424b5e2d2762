package smoke

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fortv1 "github.com/typedinformers/informer-gen/testdata/dependency/fort/v1"
	"github.com/typedinformers/informer-gen/testdata/imported/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/testdata/imported/clientset/versioned/scheme"
	"github.com/typedinformers/informer-gen/testdata/imported/informers/externalversions"
)

// TestImported uses the clients of a package that registers its types nowhere.
func TestImported(t *testing.T) {
	want := schema.GroupVersionKind{Group: "fort.example.com", Version: "v1", Kind: "TowerList"}
	if kinds, _, err := scheme.Scheme.ObjectKinds(&fortv1.TowerList{}); err != nil || len(kinds) != 1 || kinds[0] != want {
		t.Errorf("the scheme has %v, %v; want %v", kinds, err, want)
	}
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(&fortv1.Tower{ObjectMeta: metav1.ObjectMeta{Name: "north"}})
		factory := externalversions.NewSharedInformerFactory(client, 0)
		towers := factory.Fort().V1().Towers()
		lister := towers.Lister()
		factory.Start(t.Context())
		defer factory.Shutdown()
		if err := factory.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.FortV1().Towers().Create(t.Context(), &fortv1.Tower{ObjectMeta: metav1.ObjectMeta{Name: "south"}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if all, err := lister.List(labels.Everything()); err != nil || len(all) != 2 {
			t.Errorf("the lister has %v, %v; want two towers", all, err)
		}
		if _, err := factory.ForResource(schema.GroupVersionResource{Group: "fort.example.com", Version: "v1", Resource: "towers"}); err != nil {
			t.Error(err)
		}
	})
}
