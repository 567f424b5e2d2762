package smoke

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"

	iov1 "github.com/typedinformers/informer-gen/testdata/apis/io/v1"
	plantv1 "github.com/typedinformers/informer-gen/testdata/apis/plant/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

// patience is how long each wait may take on a slow machine: none takes a second on
// another. It bounds what would not come at all.
const patience = 5 * time.Minute

// start starts a factory, and waits for its caches.
func start(t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestViewOfFake takes views of what a fake clientset has as wholes: a namespaced
// kind, a cluster-scoped one, and one of another package of the run.
func TestViewOfFake(t *testing.T) {
	robot, _, _ := robots()
	client := fake.NewSimpleClientset(robot, order("tea", "ann"))
	if _, err := client.PlantV1().Halls().Create(t.Context(), &plantv1.Hall{ObjectMeta: metav1.ObjectMeta{Name: "h1"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	summaries, halls, customers := factory.Plant().V1().RobotSummaries(), factory.Plant().V1().HallNames(), factory.Io().V1().Customers()
	changed := make(chan *plantv1.RobotSummary, 1)
	if _, err := summaries.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*plantv1.RobotSummary]{
		UpdateFunc: func(_, summary *plantv1.RobotSummary) { changed <- summary },
	}); err != nil {
		t.Fatal(err)
	}
	halls.Informer()
	customers.Informer()
	wholes, err := factory.ForResource(plantv1.GroupVersion.WithResource("robots"))
	if err != nil {
		t.Fatal(err)
	}
	wholeLister := wholes.Lister()
	start(t, factory)

	if all, err := wholeLister.List(labels.Everything()); err != nil || len(all) != 1 {
		t.Errorf("ForResource has %v, %v", all, err)
	} else if whole, ok := all[0].(*plantv1.Robot); !ok || whole.Spec.NodeName != "n1" {
		t.Errorf("ForResource has a %T", all[0])
	}

	summary, err := summaries.Lister().RobotSummaries("east").Get("full")
	if err != nil {
		t.Fatalf("the view lists nothing: %v", err)
	}
	if summary.Spec.Hall != "h1" || summary.Status.Phase != "Busy" {
		t.Errorf("the summary is %+v", summary)
	}
	if inHall, err := summaries.Lister().ByHall("h1"); err != nil || len(inHall) != 1 || inHall[0] != summary {
		t.Errorf("in hall h1 are %v, %v", inHall, err)
	}
	if hall, err := halls.Lister().Get("h1"); err != nil || hall.Name != "h1" {
		t.Errorf("the hall is %v, %v", hall, err)
	}
	if ofAnn, err := customers.Lister().ByCustomer("ann"); err != nil || len(ofAnn) != 1 {
		t.Errorf("the orders of ann are %v, %v", ofAnn, err)
	}

	robot = robot.DeepCopy()
	robot.Spec.Hall = "h2"
	if _, err := client.PlantV1().Robots("east").Update(t.Context(), robot, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case summary := <-changed:
		if summary.Spec.Hall != "h2" {
			t.Errorf("the summary is %+v after the update", summary)
		}
	case <-time.After(time.Minute):
		t.Error("the view was not told of the update")
	}
}

// podClient is as much of a typed client of Pods as a view needs.
type podClient struct{ list corev1.PodList }

func (c podClient) List(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
	return c.list.DeepCopy(), nil
}

func (c podClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

// TestViewElsewhereOfFake gives a view of a kind of which the clientset has no client
// its objects, without which it says how to.
func TestViewElsewhereOfFake(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	informer := factory.Io().V1().PodSummaries().Informer()
	factory.Start(t.Context())
	var err error
	for began := time.Now(); time.Since(began) < patience; { // once, but on a slow machine, on which it lists later
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err = factory.WaitForCacheSync(ctx)
		cancel()
		if informer.Status().Err != nil {
			break
		}
	}
	factory.Shutdown()
	if err == nil || !strings.Contains(err.Error(), "cache.NewViewListWatch[*v1.PodSummary]") {
		t.Errorf("without a source the error is %v", err)
	}

	pods := podClient{corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "2"}, Items: []corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "web", ResourceVersion: "1"},
		Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "nginx", Image: "nginx:1"}}},
	}}}}
	factory = informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0, informers.WithNamespace("east"),
		cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*iov1.PodSummary] {
			if namespace != "east" {
				t.Errorf("the source is for namespace %q", namespace)
			}
			return cache.NewViewListWatch[*iov1.PodSummary](pods)
		}))
	summaries := factory.Io().V1().PodSummaries()
	summaries.Informer()
	start(t, factory)
	if onNode, err := summaries.Lister().ByNodeName("n1"); err != nil || len(onNode) != 1 || onNode[0].Spec.Containers[0].Image != "nginx:1" {
		t.Errorf("on node n1 are %+v, %v", onNode, err)
	}
}

// TestViewOfServer decodes a view out of the bodies of a server, in the core group.
func TestViewOfServer(t *testing.T) {
	client := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if selector := r.URL.Query().Get("fieldSelector"); r.URL.Path != "/cluster/7/api/v1/pods" || selector != "spec.nodeName=n1" {
			t.Errorf("the path is %s, the field selector %q", r.URL.Path, selector)
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[
			{"metadata":{"namespace":"east","name":"web","resourceVersion":"1","managedFields":[{"manager":"kubelet"}],"annotations":{"a":"1","b":"2"}},
			 "spec":{"nodeName":"n1","priority":5,"volumes":[{"name":"v"}],"containers":[{"name":"nginx","image":"nginx:1"}]},
			 "status":{"phase":"Running","startTime":"2026-01-02T03:04:05Z"}}]}`)
	})
	factory := informers.NewSharedInformerFactory(client, 0, cache.WithoutUpdateGuard(), cache.WithoutFields("metadata.managedFields", "metadata.annotations[b]"),
		cache.WithFieldSelector(fieldselector.Field[*iov1.PodSummary, string]("spec.nodeName").Is("n1")))
	summaries := factory.Io().V1().PodSummaries()
	summaries.Informer()
	start(t, factory)
	running, err := summaries.Lister().ByPhase(corev1.PodRunning)
	if err != nil || len(running) != 1 {
		t.Fatalf("running are %v, %v", running, err)
	}
	web := running[0]
	if web.Name != "web" || web.Spec.NodeName != "n1" || web.Spec.Priority != 5 || web.Spec.Containers[0].Image != "nginx:1" || web.Status.StartTime.Year() != 2026 {
		t.Errorf("the summary is %+v", web)
	}
	if web.ManagedFields != nil || len(web.Annotations) != 1 {
		t.Errorf("the metadata is %+v", web.ObjectMeta)
	}
}
