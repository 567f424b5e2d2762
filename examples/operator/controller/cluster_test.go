package controller_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"

	"github.com/typedinformers/informer-gen/apitest"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/controller"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

const namespace = "shop"

func database(name, class string, storageGi int32) *datav1.Database {
	return &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       datav1.DatabaseSpec{ClassName: class, StorageGi: storageGi, Replicas: 1},
	}
}

func class(name string, maxStorageGi int32) *datav1.DatabaseClass {
	return &datav1.DatabaseClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       datav1.DatabaseClassSpec{MaxStorageGi: maxStorageGi, Domain: "db.example.com", Port: 5432},
	}
}

// cluster is an in-memory API server with a Controller on it. Each test is a synctest bubble.
type cluster struct {
	t      *testing.T
	client *fake.Clientset
	kube   kubernetes.Interface // of the same server
	events *events.FakeRecorder
	writes atomic.Int32 // how often the status of a Database was written
}

func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	return newClusterOn(t, apitest.Start(t, apitest.WithScheme(scheme.Scheme)), objects...)
}

func newClusterOn(t *testing.T, server *apitest.Server, objects ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{
		t:      t,
		client: fake.NewClientsetFor(server, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}),
		events: events.NewFakeRecorder(1000),
	}
	c.kube = kubernetes.NewForConfigOrDie(c.client.Config())
	c.client.PrependReactor("patch", "databases/status", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		var applied metav1.PartialObjectMetadata
		if err := json.Unmarshal(patch.GetPatch(), &applied); err != nil {
			return true, nil, err
		}
		stored, err := c.client.Tracker().Get(action.GetResource(), action.GetNamespace(), patch.GetName())
		if err != nil || stored.(*datav1.Database).ResourceVersion != applied.ResourceVersion {
			return false, nil, nil // it will be refused
		}
		if c.writes.Add(1) == 1000 {
			panic("a status is written over and over") // no return of an error ends the loop
		}
		return false, nil, nil
	})
	for _, obj := range objects {
		c.create(obj)
	}
	return c
}

// controller returns a Controller, and what starts its informers.
func (c *cluster) controller(options ...informers.SharedInformerOption) (*controller.Controller, func(context.Context)) {
	c.t.Helper()
	factory := informers.NewSharedInformerFactory(c.client, 10*time.Minute, options...)
	operator, err := controller.New(controller.Cluster{Data: c.client, Kube: c.kube, Factory: factory, Events: c.events})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(factory.Shutdown)
	return operator, factory.Start
}

// run starts a Controller, which ends with the test.
func (c *cluster) run(options ...informers.SharedInformerOption) {
	c.t.Helper()
	operator, start := c.controller(options...)
	ctx, stop := context.WithCancel(c.t.Context())
	start(ctx)
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, 2) }()
	c.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			c.t.Errorf("Run: %v", err)
		}
	})
}

// runAll returns when nothing is left to do for anyone.
func (c *cluster) runAll() {
	time.Sleep(10 * time.Second) // of the bubble, for retries and the lag of the cache
	synctest.Wait()
}

func (c *cluster) create(obj runtime.Object) {
	c.t.Helper()
	var err error
	switch obj := obj.(type) {
	case *datav1.Database:
		_, err = c.client.DataV1().Databases(obj.Namespace).Create(c.t.Context(), obj, metav1.CreateOptions{})
	case *datav1.DatabaseClass:
		_, err = c.client.DataV1().DatabaseClasses().Create(c.t.Context(), obj, metav1.CreateOptions{})
	case *datav1.DatabaseServer:
		_, err = c.client.DataV1().DatabaseServers(obj.Namespace).Create(c.t.Context(), obj, metav1.CreateOptions{})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// edit changes the spec or the metadata of a Database. The controller may write at the same time.
func (c *cluster) edit(name string, change func(*datav1.Database)) {
	c.t.Helper()
	c.retry(func() error {
		db := c.get(name)
		change(db)
		_, err := c.client.DataV1().Databases(namespace).Update(c.t.Context(), db, metav1.UpdateOptions{})
		return err
	})
}

// retry repeats a change until it is not refused because of another one.
func (c *cluster) retry(change func() error) {
	c.t.Helper()
	if err := retry.RetryOnConflict(retry.DefaultRetry, change); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) editClass(name string, change func(*datav1.DatabaseClassSpec)) {
	c.t.Helper()
	class, err := c.client.DataV1().DatabaseClasses().Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	change(&class.Spec)
	if _, err := c.client.DataV1().DatabaseClasses().Update(c.t.Context(), class, metav1.UpdateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) delete(name string) {
	c.t.Helper()
	if err := c.client.DataV1().Databases(namespace).Delete(c.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) deleteServer(name string) {
	c.t.Helper()
	if err := c.client.DataV1().DatabaseServers(namespace).Delete(c.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) deleteWith(name string, policy metav1.DeletionPropagation) {
	c.t.Helper()
	if err := c.client.DataV1().Databases(namespace).Delete(c.t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		c.t.Fatal(err)
	}
}

// report sets the status of a server, as the agent does.
func (c *cluster) report(name string, ready bool) {
	c.t.Helper()
	c.retry(func() error {
		server := c.getServer(name)
		server.Status.Ready = ready
		_, err := c.client.DataV1().DatabaseServers(namespace).UpdateStatus(c.t.Context(), server, metav1.UpdateOptions{})
		return err
	})
}

func (c *cluster) get(name string) *datav1.Database {
	c.t.Helper()
	db, err := c.client.DataV1().Databases(namespace).Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return db
}

func (c *cluster) getServer(name string) *datav1.DatabaseServer {
	c.t.Helper()
	server, err := c.client.DataV1().DatabaseServers(namespace).Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return server
}

// expect fails the test unless a Database ends up with this status.
func (c *cluster) expect(name string, phase datav1.DatabasePhase, reason, endpoint string) *datav1.Database {
	c.t.Helper()
	c.runAll()
	db := c.get(name)
	if db.Status.Phase != phase || db.Status.Endpoint != endpoint {
		c.t.Errorf("%s is %q at %q, want %q at %q", name, db.Status.Phase, db.Status.Endpoint, phase, endpoint)
	}
	if db.Status.ObservedGeneration != db.Generation {
		c.t.Errorf("%s: observedGeneration is %d, want %d", name, db.Status.ObservedGeneration, db.Generation)
	}
	ready := meta.FindStatusCondition(db.Status.Conditions, datav1.ConditionReady)
	if ready == nil {
		c.t.Fatalf("%s has no condition Ready", name)
	}
	if isTrue := ready.Status == metav1.ConditionTrue; ready.Reason != reason || isTrue != (phase == datav1.DatabaseReady) {
		c.t.Errorf("%s: Ready is %s with reason %s, want reason %s", name, ready.Status, ready.Reason, reason)
	}
	return db
}

// expectServers fails the test unless these are the servers.
func (c *cluster) expectServers(want ...string) {
	c.t.Helper()
	c.runAll()
	list, err := c.client.DataV1().DatabaseServers(namespace).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	var got []string
	for _, server := range list.Items {
		got = append(got, server.Name)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		c.t.Errorf("the servers are %q, want %q", got, want)
	}
}

// expectEvents fails the test unless these are the Events since the last call.
func (c *cluster) expectEvents(want ...string) {
	c.t.Helper()
	c.runAll()
	var got []string
	for len(c.events.Events) > 0 {
		got = append(got, <-c.events.Events)
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("the Events are %q, want %q", got, want)
	}
}
