package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// kind is one of the kinds that are measured.
type kind struct {
	resource schema.GroupVersionResource
	// key is the prefix of the keys in etcd.
	key string
	// stored returns object i as the API server stores it. writers are the managedFields that
	// load.writers has returned; nil if it was not asked.
	stored func(i int, writers []metav1.ManagedFieldsEntry) ([]byte, error)
	// model, if it is not nil, is an object whose managedFields the API server makes.
	model func() *podserver.Database
}

var kinds = map[string]*kind{
	report.Pods: {
		resource: corev1.SchemeGroupVersion.WithResource("pods"),
		key:      "/registry/pods/",
		stored:   storedPod,
	},
	report.CustomResources: {
		resource: datav1.SchemeGroupVersion.WithResource("databases"),
		key:      "/registry/data.example.com/databases/",
		stored:   storedDatabase,
	},
	report.Small: {
		resource: podserver.DatabaseVersion.WithResource("databases"),
		key:      "/registry/" + podserver.DatabaseVersion.Group + "/databases/",
		stored:   storedSmall,
		model:    func() *podserver.Database { return small(0) },
	},
}

// path is the URL of the collection, without the server.
func (k *kind) path() string {
	if k.resource.Group == "" {
		return "/api/" + k.resource.Version + "/" + k.resource.Resource
	}
	return "/apis/" + k.resource.Group + "/" + k.resource.Version + "/" + k.resource.Resource
}

func storedPod(i int, _ []metav1.ManagedFieldsEntry) ([]byte, error) {
	pod := podserver.Pod(i)
	pod.ResourceVersion = ""
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	var text bytes.Buffer
	err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(pod, &text)
	return text.Bytes(), err
}

func storedDatabase(i int, _ []metav1.ManagedFieldsEntry) ([]byte, error) {
	return json.Marshal(database(i))
}

// small returns custom resource i of 2 KB, without managedFields.
func small(i int) *podserver.Database {
	db := podserver.ManagedDatabase(i)
	db.SetGroupVersionKind(podserver.DatabaseVersion.WithKind("Database"))
	return db
}

// storedSmall gives the database the managedFields of the model, which name some of its
// fields by the name of the object.
func storedSmall(i int, writers []metav1.ManagedFieldsEntry) ([]byte, error) {
	db := small(i)
	_, model := podserver.Name(0)
	for _, writer := range writers {
		fields := strings.ReplaceAll(writer.FieldsV1.GetRawString(), model, db.Name)
		writer.FieldsV1, writer.Time = metav1.NewFieldsV1(fields), &db.CreationTimestamp
		db.ManagedFields = append(db.ManagedFields, writer)
	}
	return json.Marshal(db)
}

// database returns custom resource i. It has about 1.7 KB as JSON, of which 0.6 KB are
// managedFields.
func database(i int) *datav1.Database {
	random := rand.New(rand.NewPCG(uint64(i), 2))
	namespace, name := podserver.Name(i)
	created := metav1.NewTime(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 7 * time.Second))
	db := &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, Generation: 1, CreationTimestamp: created, UID: podserver.Pod(i).UID,
			Labels:      map[string]string{"app": "db-" + strconv.Itoa(i%500), "team": namespace, "revision": "1"},
			Annotations: map[string]string{"example.com/checksum": strconv.FormatUint(random.Uint64(), 16), "example.com/contact": namespace + "@example.com"},
			Finalizers:  []string{"data.example.com/volume"},
		},
		Spec:   datav1.DatabaseSpec{ClassName: "class-" + strconv.Itoa(random.IntN(20)), StorageGi: random.Int32N(900) + 1, Replicas: 3},
		Status: datav1.DatabaseStatus{Phase: datav1.DatabaseReady, Endpoint: fmt.Sprintf("%s.%s.svc.cluster.local:5432", name, namespace), ObservedGeneration: 1},
	}
	db.SetGroupVersionKind(datav1.SchemeGroupVersion.WithKind("Database"))
	for _, condition := range []string{"Ready", "Provisioned", "BackedUp"} {
		db.Status.Conditions = append(db.Status.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: created,
			Reason: "Reconciled", Message: fmt.Sprintf("volume %016x on node-%d answers", random.Uint64(), random.IntN(2000)),
		})
	}
	version := datav1.SchemeGroupVersion.String()
	db.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: version, Time: &created, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(
			`{"f:metadata":{"f:annotations":{"f:example.com/contact":{}},"f:labels":{"f:app":{},"f:team":{}}},"f:spec":{"f:className":{},"f:replicas":{},"f:storageGi":{}}}`)},
		{Manager: "operator", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: version, Time: &created, Subresource: "status", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(
			`{"f:status":{".":{},"f:conditions":{},"f:endpoint":{},"f:observedGeneration":{},"f:phase":{}}}`)},
	}
	return db
}
