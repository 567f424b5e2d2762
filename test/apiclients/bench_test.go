package apiclients

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/apitest"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
)

func database(name string) *datav1.Database {
	return &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "a", Labels: map[string]string{"app": "db"}},
		Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 10},
	}
}

// BenchmarkNewClientset makes a generated fake with one object: a server and its clients. The target is less than 100 µs.
func BenchmarkNewClientset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		fake.NewClientset(database("one"))
	}
}

// BenchmarkNew makes a server alone.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := apitest.New(apitest.WithScheme(scheme.Scheme)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreate creates small custom resources through the generated clientset. The target is 10,000 in a second.
func BenchmarkCreate(b *testing.B) {
	databases, ctx := fake.NewClientset().DataV1().Databases("a"), context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := databases.Create(ctx, database(fmt.Sprintf("db-%07d", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkGet(b *testing.B) {
	databases, ctx := fake.NewClientset(database("one")).DataV1().Databases("a"), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := databases.Get(ctx, "one", metav1.GetOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdateStatus(b *testing.B) {
	databases, ctx := fake.NewClientset(database("one")).DataV1().Databases("a"), context.Background()
	object, err := databases.Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		object.Status.ReadyReplicas++
		if object, err = databases.UpdateStatus(ctx, object, metav1.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList1000(b *testing.B) {
	client, ctx := fake.NewClientset(), context.Background()
	for i := range 1000 {
		if err := client.Server().Add(database(fmt.Sprintf("db-%d", i))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.DataV1().Databases("a").List(ctx, metav1.ListOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreatePod creates pods of a usual size.
func BenchmarkCreatePod(b *testing.B) {
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		b.Run(contentType, func(b *testing.B) {
			_, config := start(b)
			config.ContentType = contentType
			pods, ctx := kubernetes.NewForConfigOrDie(config).CoreV1().Pods("a"), context.Background()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%07d", i)}, Spec: corev1.PodSpec{
					NodeName: "node", Containers: []corev1.Container{{Name: "main", Image: "image", Env: []corev1.EnvVar{{Name: "A", Value: "b"}, {Name: "C", Value: "d"}}}},
				}}
				if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkDeleteOwner deletes an object with 100 dependents.
func BenchmarkDeleteOwner(b *testing.B) {
	client, ctx := fake.NewClientset(), context.Background()
	databases := client.DataV1().Databases("a")
	for b.Loop() {
		b.StopTimer()
		owner, err := databases.Create(ctx, database("owner"), metav1.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range 100 {
			dependent := database(fmt.Sprintf("db-%d", i))
			dependent.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, datav1.SchemeGroupVersion.WithKind("Database"))}
			if err := client.Server().Add(dependent); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if err := databases.Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
