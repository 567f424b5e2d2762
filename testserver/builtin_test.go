package testserver_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applycoordinationv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/typedinformers/informer-gen/testserver"
)

// kubeClient returns a client as programs have it: its bodies are protobuf.
func kubeClient(t *testing.T, server *testserver.Server) *kubernetes.Clientset {
	t.Helper()
	config := server.Config()
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	config.ContentType = runtime.ContentTypeProtobuf
	return newClient(t, config)
}

func newClient(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestSystemNamespacesExist(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		namespace, err := client.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if namespace.Status.Phase != corev1.NamespaceActive || namespace.Labels["kubernetes.io/metadata.name"] != name {
			t.Errorf("namespace %s is %v", name, namespace)
		}
	}
	for _, name := range []string{"default", "kube-system", "kube-public"} {
		if err := client.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("deleting namespace %s returns %v", name, err)
		}
	}
}

func TestNamespaceNames(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared).CoreV1().Namespaces()
	for _, name := range []string{"two.words", "Upper", "a/b", ""} {
		_, err := client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if !apierrors.IsInvalid(err) {
			t.Errorf("creating namespace %q returns %v", name, err)
		}
	}
	created, err := client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "team-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + created.Name + ",status.phase=Active"})
	if err != nil || len(list.Items) != 1 || list.Items[0].UID != created.UID {
		t.Errorf("a list by name and phase has %v, %v", list, err)
	}
}

// TestLeaderElection runs two candidates as programs do. The second leads after the first has released the lease.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	leads := make(chan string)
	candidate := func(ctx context.Context, name string) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "leader", client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
		if err != nil {
			t.Error(err)
			return
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: time.Second, RenewDeadline: 900 * time.Millisecond, RetryPeriod: 20 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) { leads <- name },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, stopFirst := context.WithCancel(t.Context())
	second, stopSecond := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); candidate(first, "first") }()
	if name := <-leads; name != "first" {
		t.Errorf("%s leads", name)
	}
	stopFirst()
	<-done
	done = make(chan struct{})
	go func() { defer close(done); candidate(second, "second") }()
	if name := <-leads; name != "second" {
		t.Errorf("%s leads", name)
	}
	stopSecond()
	<-done
	lease, err := client.CoordinationV1().Leases("default").Get(t.Context(), "leader", metav1.GetOptions{})
	if err != nil || lease.Spec.LeaseTransitions == nil || *lease.Spec.LeaseTransitions == 0 {
		t.Errorf("the lease is %v, %v", lease, err)
	}
}

// TestEventsOfBothAPIs records an event with each API, and reads both with each.
func TestEventsOfBothAPIs(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	const namespace = "events"
	about := &corev1.ObjectReference{APIVersion: "example.com/v1", Kind: "Widget", Namespace: namespace, Name: "w", UID: "1"}
	watcher, err := client.EventsV1().Events(namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=w"})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()

	old := record.NewBroadcaster(record.WithContext(t.Context()))
	old.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "old"}).Event(about, corev1.EventTypeNormal, "Old", "by record")
	added := await(t, watcher, watch.Added).(*eventsv1.Event)
	if added.Reason != "Old" || added.Note != "by record" || added.DeprecatedSource.Component != "old" || added.Regarding != *about {
		t.Errorf("events.k8s.io shows the event of record as %v", added)
	}
	old.Shutdown()

	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	broadcaster.NewRecorder(scheme.Scheme, "example.com/new").Eventf(about, nil, corev1.EventTypeWarning, "New", "Test", "by %s", "events")
	added = await(t, watcher, watch.Added).(*eventsv1.Event)
	if added.Reason != "New" || added.Note != "by events" || added.ReportingController != "example.com/new" {
		t.Errorf("events.k8s.io has %v", added)
	}
	broadcaster.Shutdown()

	list, err := client.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.kind=Widget,involvedObject.uid=1"})
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string]string{}
	for _, event := range list.Items {
		messages[event.Reason] = event.Message
	}
	if want := map[string]string{"Old": "by record", "New": "by events"}; !maps.Equal(messages, want) {
		t.Errorf("core/v1 has the events %v, want %v", messages, want)
	}
	if list, err := client.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "type=Warning"}); err != nil || len(list.Items) != 1 {
		t.Errorf("there are %d warnings, %v", len(list.Items), err)
	}
}

// await returns the object of the next event of a type.
func await(t *testing.T, watcher watch.Interface, want watch.EventType) runtime.Object {
	t.Helper()
	for {
		select {
		case event, ok := <-watcher.ResultChan():
			if !ok {
				t.Fatal("the server has ended the watch")
			}
			if event.Type == want {
				return event.Object
			}
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

func TestServerSideApply(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	leases := client.CoordinationV1().Leases("apply")
	apply := func(holder, manager string, force bool) error {
		lease := applycoordinationv1.Lease("held", "apply").WithSpec(applycoordinationv1.LeaseSpec().WithHolderIdentity(holder))
		_, err := leases.Apply(t.Context(), lease, metav1.ApplyOptions{FieldManager: manager, Force: force})
		return err
	}
	if err := apply("a", "first", false); err != nil {
		t.Fatal(err)
	}
	if err := apply("b", "second", false); !apierrors.IsConflict(err) {
		t.Errorf("applying the field of another manager returns %v", err)
	}
	if err := apply("b", "second", true); err != nil {
		t.Error(err)
	}
	lease, err := leases.Get(t.Context(), "held", metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != "b" || len(lease.ManagedFields) == 0 {
		t.Errorf("the lease is %v, %v", lease, err)
	}
	namespace := applycorev1.Namespace("applied").WithLabels(map[string]string{"team": "a"})
	applied, err := client.CoreV1().Namespaces().Apply(t.Context(), namespace, metav1.ApplyOptions{FieldManager: "first"})
	if err != nil || applied.Labels["team"] != "a" || applied.Status.Phase != corev1.NamespaceActive {
		t.Errorf("the namespace is %v, %v", applied, err)
	}
}

// TestStreamingList reads the initial events of a watch, up to their bookmark.
func TestStreamingList(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	yes := true
	watcher, err := client.CoreV1().Namespaces().Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	var names []string
	for event := range watcher.ResultChan() {
		namespace := event.Object.(*corev1.Namespace)
		if event.Type == watch.Bookmark && namespace.Annotations[metav1.InitialEventsAnnotationKey] == "true" {
			break
		}
		names = append(names, namespace.Name)
	}
	for _, want := range []string{"default", "kube-system"} {
		if !slices.Contains(names, want) {
			t.Errorf("the initial events are of %v, want %s among them", names, want)
		}
	}
}

func TestPatchAndStatusOfNamespaces(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared).CoreV1().Namespaces()
	created, err := client.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "patched"}, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceTerminating},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.Status.Phase != corev1.NamespaceActive {
		t.Errorf("a create sets the phase %s", created.Status.Phase)
	}
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"labels":{"merge":"x"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"strategic":"x"}},"status":{"phase":"Terminating"}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/annotations","value":{"json":"x"}}]`,
	} {
		patched, err := client.Patch(t.Context(), "patched", kind, []byte(patch), metav1.PatchOptions{})
		if err != nil || patched.Status.Phase != corev1.NamespaceActive {
			t.Errorf("%s returns %v, %v", kind, patched, err)
		}
	}
	condition := corev1.NamespaceCondition{Type: "Checked", Status: corev1.ConditionTrue}
	created.ResourceVersion = ""
	created.Status.Conditions = []corev1.NamespaceCondition{condition}
	updated, err := client.UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
	if err != nil || len(updated.Status.Conditions) != 1 {
		t.Errorf("the status is %v, %v", updated, err)
	}
}

// TestFinalizersHoldObjects deletes a lease that has a finalizer.
func TestFinalizersHoldObjects(t *testing.T) {
	t.Parallel()
	leases := kubeClient(t, shared).CoordinationV1().Leases("default")
	lease := applycoordinationv1.Lease("finalized", "default").WithFinalizers("example.com/hold")
	if _, err := leases.Apply(t.Context(), lease, metav1.ApplyOptions{FieldManager: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := leases.Delete(t.Context(), "finalized", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	held, err := leases.Get(t.Context(), "finalized", metav1.GetOptions{})
	if err != nil || held.DeletionTimestamp == nil {
		t.Fatalf("the deleted lease is %v, %v", held, err)
	}
	held.Finalizers = nil
	if _, err := leases.Update(t.Context(), held, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := leases.Get(t.Context(), "finalized", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("without its finalizer the lease is there: %v", err)
	}
}

// TestInformerOfBuiltIns follows leases with an informer of client-go.
func TestInformerOfBuiltIns(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	factory := kubeinformers.NewSharedInformerFactoryWithOptions(client, 0, kubeinformers.WithNamespace("informed"))
	added := make(chan string)
	informer := factory.Coordination().V1().Leases().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) { added <- object.(metav1.Object).GetName() }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer factory.Shutdown()
	defer stop()
	factory.StartWithContext(ctx)
	for _, name := range []string{"a", "b"} {
		if _, err := client.CoordinationV1().Leases("informed").Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := <-added; got != name {
			t.Errorf("the informer adds %s, want %s", got, name)
		}
	}
}
