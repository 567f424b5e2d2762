package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	kubeinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// keptFields are those of a controller that sets images and replicas.
var keptFields = []string{
	"metadata.labels", "spec.replicas", "spec.selector", "spec.template.metadata.labels",
	"spec.template.spec.containers.name", "spec.template.spec.containers.image", "status",
}

// newDeployment returns a Deployment with fields that the controller does not read.
func newDeployment(namespace, name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	replicas := int32(2)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, Annotations: map[string]string{"note": "n"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers:  []corev1.Container{{Name: "web", Image: "web:1", Args: []string{"serve"}}},
					Tolerations: []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}},
				},
			},
		},
	}
}

// fromCache reads Deployments from an informer, and sends all other requests.
type fromCache struct {
	client.Client
	lister *cache.SharedIndexInformer[*appsv1.Deployment]
}

func (c fromCache) Get(ctx context.Context, key client.ObjectKey, obj client.Object, options ...client.GetOption) error {
	into, is := obj.(*appsv1.Deployment)
	if !is {
		return c.Client.Get(ctx, key, obj, options...)
	}
	cached, found := c.lister.GetStore().Get(cache.ObjectName(key))
	if !found {
		return errors.New("the object is not cached")
	}
	cached.DeepCopyInto(into)
	return nil
}

// TestNoWriteLosesFields writes objects that lack fields in all ways. What the informer leaves out stays on the server.
func TestNoWriteLosesFields(t *testing.T) {
	ctx := within(t)
	const namespace = "fields"
	plain, err := client.New(configOf(shared), client.Options{HTTPClient: httpFor(t, configOf(shared))})
	if err != nil {
		t.Fatal(err)
	}
	inNamespace(t, clientFor(t, configOf(shared)), namespace)

	own, config := &writes.Observer{}, configOf(shared)
	config.Wrap(own.Transport)
	observed := httpFor(t, config)
	kube, err := kubernetes.NewForConfigAndClient(config, observed)
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := client.New(config, client.Options{HTTPClient: observed})
	if err != nil {
		t.Fatal(err)
	}
	factory := kubeinformers.NewSharedInformerFactory(kube, 0, cache.WithUpdateGuard(own), cache.WithNamespace(namespace), cache.WithOptionsFor[*appsv1.Deployment](cache.WithFields(keptFields...)))
	defer factory.Shutdown()
	informer := factory.Apps().V1().Deployments().Informer()
	factory.Start(t.Context())
	cached := fromCache{guarded, informer}
	deployments := kube.AppsV1().Deployments(namespace)
	untyped, err := dynamic.NewForConfigAndClient(config, observed)
	if err != nil {
		t.Fatal(err)
	}
	untypedDeployments := untyped.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace(namespace)
	isWithoutNote := func(d *appsv1.Deployment) bool { return d.Annotations["note"] == "" }

	for name, test := range map[string]struct {
		write func(ctx context.Context, d *appsv1.Deployment) error
		// unguarded tells what is lost without the guard, which refuses the write.
		unguarded func(d *appsv1.Deployment) bool
		// want changes what the server has before the write. Without it, nothing changes.
		want func(d *appsv1.Deployment)
	}{
		"update": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				_, err := deployments.Update(ctx, d, metav1.UpdateOptions{})
				return err
			},
			unguarded: isWithoutNote,
		},
		"update-by-a-dynamic-client": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
				if err != nil {
					return err
				}
				untyped := &unstructured.Unstructured{Object: content}
				untyped.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
				_, err = untypedDeployments.Update(ctx, untyped, metav1.UpdateOptions{})
				return err
			},
			unguarded: isWithoutNote,
		},
		"update-scale": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				_, err := deployments.UpdateScale(ctx, d.Name, &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: d.Name, Namespace: d.Namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: 3}}, metav1.UpdateOptions{})
				return err
			},
			want: func(d *appsv1.Deployment) { *d.Spec.Replicas = 3 },
		},
		"json-patch-of-the-first-annotation": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				if d.Annotations != nil {
					return errors.New("there are annotations already")
				}
				_, err := deployments.Patch(ctx, d.Name, types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/annotations","value":{"first":"1"}}]`), metav1.PatchOptions{})
				return err
			},
			unguarded: isWithoutNote,
		},
		"merge-from-with-a-finalizer": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				before := d.DeepCopy()
				controllerutil.AddFinalizer(d, "example.com/f")
				return guarded.Patch(ctx, d, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			},
			want: func(d *appsv1.Deployment) { d.Finalizers = []string{"example.com/f"} },
		},
		"update-status": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				_, err := deployments.UpdateStatus(ctx, d, metav1.UpdateOptions{})
				return err
			},
			unguarded: isWithoutNote,
		},
		"create-or-update": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				_, err := controllerutil.CreateOrUpdate(ctx, cached, d, func() error { d.Labels["new"] = "label"; return nil })
				return err
			},
			unguarded: isWithoutNote,
		},
		"create-or-patch": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				_, err := controllerutil.CreateOrPatch(ctx, cached, d, func() error { d.Labels["new"] = "label"; return nil })
				return err
			},
			want: func(d *appsv1.Deployment) { d.Labels["new"] = "label" },
		},
		"merge-from": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				before := d.DeepCopy()
				d.Labels["new"], *d.Spec.Replicas = "label", 5
				return guarded.Patch(ctx, d, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			},
			want: func(d *appsv1.Deployment) { d.Labels["new"], *d.Spec.Replicas = "label", 5 },
		},
		"merge-from-list": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				before := d.DeepCopy()
				d.Spec.Template.Spec.Containers[0].Image = "web:2"
				return guarded.Patch(ctx, d, client.MergeFrom(before))
			},
			unguarded: func(d *appsv1.Deployment) bool { return d.Spec.Template.Spec.Containers[0].Args == nil },
		},
		"merge-from-list-left-out": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				before := d.DeepCopy()
				d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "other", Operator: corev1.TolerationOpExists}}
				return guarded.Patch(ctx, d, client.StrategicMergeFrom(before))
			},
			unguarded: func(d *appsv1.Deployment) bool {
				return len(d.Spec.Template.Spec.Tolerations) == 1 && d.Spec.Template.Spec.Tolerations[0].Key == "other"
			},
		},
		"strategic-merge-from": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				before := d.DeepCopy()
				d.Spec.Template.Spec.Containers[0].Image = "web:2"
				return guarded.Patch(ctx, d, client.StrategicMergeFrom(before))
			},
			want: func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:2" },
		},
		"read-from-the-server": {
			write: func(ctx context.Context, d *appsv1.Deployment) error {
				if err := guarded.Get(ctx, client.ObjectKeyFromObject(d), d); err != nil {
					return err
				}
				d.Labels["new"] = "label"
				return guarded.Update(writes.Whole(ctx), d)
			},
			want: func(d *appsv1.Deployment) { d.Labels["new"] = "label" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := plain.Create(ctx, newDeployment(namespace, name)); err != nil {
				t.Fatal(err)
			}
			before := &appsv1.Deployment{}
			if err := plain.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, before); err != nil {
				t.Fatal(err)
			}
			if err := informer.WaitFor(ctx, before.ResourceVersion); err != nil {
				t.Fatal(err)
			}
			fresh := func() *appsv1.Deployment {
				d, _ := informer.GetStore().Get(cache.ObjectName{Namespace: namespace, Name: name})
				if d.Annotations != nil || d.Spec.Template.Spec.Containers[0].Args != nil || d.Spec.Template.Spec.Containers[0].Image != "web:1" || *d.Spec.Replicas != 2 {
					t.Fatalf("cached is %+v", d)
				}
				return d.DeepCopy()
			}
			server := func() *appsv1.Deployment {
				d := &appsv1.Deployment{}
				if err := plain.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, d); err != nil {
					t.Fatal(err)
				}
				return d
			}
			err := test.write(ctx, fresh())
			if isRefused := errors.Is(err, writes.ErrFieldsLeftOut); isRefused != (test.want == nil) || err != nil && !isRefused {
				t.Errorf("the error is %v", err)
			}
			want, got := before.DeepCopy(), server()
			if test.want != nil {
				test.want(want)
				want.ResourceVersion, want.Generation, want.ManagedFields = got.ResourceVersion, got.Generation, got.ManagedFields
			}
			if text, wanted := textOf(t, got), textOf(t, want); text != wanted {
				t.Errorf("the server has\n%s\nwant\n%s", text, wanted)
			}
			if test.unguarded != nil {
				if err := test.write(writes.Whole(ctx), fresh()); err != nil {
					t.Fatal(err)
				}
				if d := server(); !test.unguarded(d) {
					t.Errorf("without the guard nothing is lost, so it need not refuse this: %s", textOf(t, d))
				}
			}
		})
	}

	t.Run("apply", func(t *testing.T) {
		// No one can tell what the object lacks, so the documentation warns of it.
		apply := func(d *appsv1.Deployment) *appsv1.Deployment {
			t.Helper()
			d.TypeMeta = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}
			d.ManagedFields, d.ResourceVersion, d.UID = nil, "", ""
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			applied, err := deployments.Patch(ctx, d.Name, types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "test"})
			if err != nil {
				t.Fatal(err)
			}
			return applied
		}
		whole := apply(newDeployment(namespace, "apply"))
		if err := informer.WaitFor(ctx, whole.ResourceVersion); err != nil {
			t.Fatal(err)
		}
		lacking, _ := informer.GetStore().Get(cache.ObjectName{Namespace: namespace, Name: "apply"})
		lacking = lacking.DeepCopy()
		if got := apply(lacking); whole.Spec.Template.Spec.Containers[0].Args == nil || got.Spec.Template.Spec.Containers[0].Args != nil {
			t.Errorf("an apply of an object that lacks args keeps them: %s", textOf(t, got))
		}
	})
}

func textOf(t *testing.T, obj any) string {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
