package testserver_test

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestStringData writes stringData of a Secret in all ways.
func TestStringData(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.WithBuiltIn(&corev1.Secret{}))
	for name, client := range map[string]*kubernetes.Clientset{"protobuf": kubeClient(t, server), "json": newClient(t, server.Config())} {
		t.Run(name, func(t *testing.T) {
			secrets := client.CoreV1().Secrets(name)
			data := map[string]string{"user": "root", "password": "new"}
			// check compares what a request returned, and what is stored, with data.
			check := func(step string, returned *corev1.Secret, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(step, err)
				}
				stored, err := secrets.Get(t.Context(), returned.Name, metav1.GetOptions{})
				if err != nil {
					t.Fatal(step, err)
				}
				for _, secret := range []*corev1.Secret{returned, stored} {
					got := map[string]string{}
					for key, value := range secret.Data {
						got[key] = string(value)
					}
					if !maps.Equal(got, data) || secret.StringData != nil {
						t.Errorf("%s: the Secret has the data %v and the stringData %v, want the data %v", step, got, secret.StringData, data)
					}
				}
			}
			created, err := secrets.Create(t.Context(), &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: "s"},
				Data:       map[string][]byte{"user": []byte("root"), "password": []byte("old")},
				StringData: map[string]string{"password": "new"},
			}, metav1.CreateOptions{})
			check("create", created, err)

			update := created.DeepCopy()
			update.StringData = map[string]string{"user": "admin"}
			data["user"] = "admin"
			updated, err := secrets.Update(t.Context(), update, metav1.UpdateOptions{})
			check("update", updated, err)

			for _, patch := range []struct {
				key  string
				kind types.PatchType
				body string
			}{
				{"merge", types.MergePatchType, `{"stringData":{"merge":"x"}}`},
				{"strategic", types.StrategicMergePatchType, `{"stringData":{"strategic":"x"}}`},
				{"json", types.JSONPatchType, `[{"op":"add","path":"/stringData","value":{"json":"x"}}]`},
			} {
				data[patch.key] = "x"
				patched, err := secrets.Patch(t.Context(), "s", patch.kind, []byte(patch.body), metav1.PatchOptions{})
				check(patch.key, patched, err)
			}

			data = map[string]string{"token": "a"}
			for _, step := range []string{"a", "a", "b"} {
				data["token"] = step
				apply := applycorev1.Secret("applied", name).WithStringData(map[string]string{"token": step})
				applied, err := secrets.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "test"})
				check("apply "+step, applied, err)
			}
		})
	}
}
