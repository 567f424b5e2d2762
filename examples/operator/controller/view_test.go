package controller_test

import (
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

// TestDatabaseClassSummary follows a class, which the server has whole, through the view that the controller reads.
func TestDatabaseClassSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		postgres := class("postgres", 100)
		postgres.Spec.Description = "long"
		client := fake.NewClientset(postgres)
		factory := informers.NewSharedInformerFactory(client, 0)
		summaries := factory.Views().V1().DatabaseClassSummaries()
		lister := summaries.Lister()
		factory.Start(t.Context())
		defer factory.Shutdown()
		if err := factory.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := lister.Get("postgres")
		if want := (viewsv1.DatabaseClassTerms{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}); err != nil || got.Spec != want {
			t.Errorf("the summary is %+v, %v, want %+v", got, err, want)
		}

		if postgres, err = client.DataV1().DatabaseClasses().Get(t.Context(), "postgres", metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		postgres.Spec.MaxStorageGi = 200
		if _, err := client.DataV1().DatabaseClasses().Update(t.Context(), postgres, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err = lister.Get("postgres"); err != nil || got.Spec.MaxStorageGi != 200 {
			t.Errorf("the summary is %+v, %v after the update", got, err)
		}

		if err := client.DataV1().DatabaseClasses().Delete(t.Context(), "postgres", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := lister.Get("postgres"); !apierrors.IsNotFound(err) {
			t.Errorf("the summary of a class that is gone: %v", err)
		}
	})
}
