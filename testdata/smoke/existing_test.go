package smoke

import (
	"context"
	"testing"

	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	aliasv1 "github.com/typedinformers/informer-gen/testdata/existing/api/core/v1"
	existinginformers "github.com/typedinformers/informer-gen/testdata/existing/generated/informers/externalversions"
	existingcorev1 "github.com/typedinformers/informer-gen/testdata/existing/generated/informers/externalversions/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

// otherClientset is an implementation of kubernetes.Interface that is not one of client-go, as in tests of users.
type otherClientset struct{ kubernetes.Interface }

// TestFakeOfExistingClientset reads an alias, a view and a kind of the run from a fake of client-go, and from
// another implementation of its Interface.
func TestFakeOfExistingClientset(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "one", Namespace: "east"}
	fakes := fake.NewClientset(
		&corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeTLS},
		&corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "n1"}},
		&apiserverinternalv1alpha1.StorageVersion{ObjectMeta: metav1.ObjectMeta{Name: "one"}},
	)
	for name, client := range map[string]kubernetes.Interface{"fake": fakes, "another": otherClientset{fakes}} {
		t.Run(name, func(t *testing.T) {
			factory := existinginformers.NewSharedInformerFactory(client, 0)
			secrets, pods, versions := factory.Core().V1().Secrets(), factory.Core().V1().PodNames(), factory.Internal().V1alpha1().StorageVersions()
			secrets.Informer()
			pods.Informer()
			versions.Informer()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			factory.Start(t.Context())
			t.Cleanup(factory.Shutdown)
			if err := factory.WaitForCacheSync(ctx); err != nil {
				t.Fatal(err)
			}
			if found, err := secrets.Lister().ByType(corev1.SecretTypeTLS); err != nil || len(found) != 1 {
				t.Errorf("secrets: %v, %v", found, err)
			}
			if found, err := pods.Lister().ByNodeName("n1"); err != nil || len(found) != 1 || found[0].Name != "one" {
				t.Errorf("pods: %v, %v", found, err)
			}
			if found, err := versions.Lister().Get("one"); err != nil || found.Name != "one" {
				t.Errorf("storage versions: %v, %v", found, err)
			}
		})
	}
	// The field selector has the type of the alias, which is that of the kind.
	var selector fieldselector.Field[*corev1.Secret, corev1.SecretType] = existingcorev1.SecretFieldType
	if _, err := existingcorev1.SecretKind(fakes).NewInformer(cache.WithFieldSelector(selector.Is(corev1.SecretTypeTLS))); err != nil {
		t.Error(err)
	}
	var _ *corev1.Secret = &aliasv1.Secret{}
}
