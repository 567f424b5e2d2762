package crcache_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// One line, NewCache, switches the cache of a manager.
func ExampleNew() {
	mgr, err := ctrl.NewManager(newConfig(), ctrl.Options{NewCache: crcache.New, Metrics: noMetrics})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()

	var pods corev1.PodList
	if err := mgr.GetClient().List(ctx, &pods, client.InNamespace("team-a")); err != nil {
		log.Fatal(err)
	}
	for _, pod := range pods.Items {
		fmt.Println(pod.Name)
	}
	// Output:
	// web
}

// An option, and two more lines, let the cache have what the manager's client has written.
func ExampleWithReadYourWrites() {
	own := &writes.Observer{}
	config := newConfig()
	config.Wrap(own.Transport)
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.NewFunc(crcache.WithReadYourWrites(own)), Metrics: noMetrics})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()

	var pod corev1.Pod
	name := client.ObjectKey{Namespace: "team-a", Name: "web"}
	for range 3 { // no conflict: each Get returns what the Update before has written
		if err := mgr.GetClient().Get(ctx, name, &pod); err != nil {
			log.Fatal(err)
		}
		metav1.SetMetaDataLabel(&pod.ObjectMeta, "touched", "by-"+pod.ResourceVersion)
		if err := mgr.GetClient().Update(ctx, &pod); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("updated")
	// Output:
	// updated
}

// The cache has two fields of each pod. An update of such a pod, which would delete all others, is refused; a patch is not.
func ExampleWithFields() {
	mgr, err := ctrl.NewManager(newConfig(), ctrl.Options{
		NewCache: crcache.NewFunc(crcache.WithFields(&corev1.Pod{}, "metadata.labels", "status.phase")),
		Metrics:  noMetrics,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()

	var pod corev1.Pod
	if err := mgr.GetClient().Get(ctx, client.ObjectKey{Namespace: "team-a", Name: "web"}, &pod); err != nil {
		log.Fatal(err)
	}
	before := pod.DeepCopy()
	metav1.SetMetaDataLabel(&pod.ObjectMeta, "seen", "true")
	fmt.Println("refused:", errors.Is(mgr.GetClient().Update(ctx, pod.DeepCopy()), writes.ErrFieldsLeftOut))
	fmt.Println("patch:", mgr.GetClient().Patch(ctx, &pod, client.MergeFrom(before)))
	// Output:
	// refused: true
	// patch: <nil>
}

// The cache has the Secrets that Ingresses refer to, and no others. Get reads another one from the server.
func ExampleWithReferenced() {
	ingress := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "shop"}}
	ingress.Spec.TLS = []networkingv1.IngressTLS{{SecretName: "shop-tls"}}
	config := newConfig(ingress, secret("shop-tls"), secret("other"))

	secretsOf := func(ingress *networkingv1.Ingress) (names []types.NamespacedName) {
		for _, tls := range ingress.Spec.TLS {
			names = append(names, types.NamespacedName{Name: tls.SecretName}) // in the namespace of the Ingress
		}
		return names
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: noMetrics, NewCache: crcache.NewFunc(
		crcache.WithReferenced(&corev1.Secret{}, crcache.By(&networkingv1.Ingress{}, secretsOf)),
	)})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()

	var secrets corev1.SecretList
	if err := mgr.GetClient().List(ctx, &secrets); err != nil {
		log.Fatal(err)
	}
	for i := range secrets.Items {
		fmt.Println("cached:", secrets.Items[i].Name)
	}
	var other corev1.Secret
	if err := mgr.GetClient().Get(ctx, client.ObjectKey{Namespace: "team-a", Name: "other"}, &other); err != nil {
		log.Fatal(err)
	}
	fmt.Println("read:", other.Name)
	// Output:
	// cached: shop-tls
	// read: other
}

// The cache follows the namespaces that have a label now.
func ExampleWithNamespacesLabeled() {
	teamA := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: map[string]string{"team": "web"}}}
	teamB := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-b"}}
	mgr, err := ctrl.NewManager(newConfig(teamA, teamB), ctrl.Options{Metrics: noMetrics, NewCache: crcache.NewFunc(
		crcache.WithNamespacesLabeled("team=web"),
	)})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()

	for _, namespace := range []string{"team-a", "team-b"} {
		var pod corev1.Pod
		if err := mgr.GetClient().Get(ctx, client.ObjectKey{Namespace: namespace, Name: "web"}, &pod); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(pod.Namespace, pod.Name)
	}
	// Output:
	// team-a web
	// unable to get: team-b/web because of unknown namespace for the cache; for pods, it follows the namespaces with the labels team=web; read others with mgr.GetAPIReader()
}

// The readiness probe fails with the reason until all informers are synced.
func ExampleReadyChecker() {
	mgr, err := ctrl.NewManager(newConfig(), ctrl.Options{NewCache: crcache.New, Metrics: noMetrics})
	if err != nil {
		log.Fatal(err)
	}
	ready := crcache.ReadyChecker(mgr.GetCache())
	if err := mgr.AddReadyzCheck("cache", ready); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", ready(nil) == nil)

	_, stop := start(mgr)
	defer stop()
	fmt.Println("ready:", ready(nil) == nil)
	// Output:
	// ready: false
	// ready: true
}

// Kinds yields the kinds that the manager reads, in which forms, and how they are.
func ExampleCache_Kinds() {
	mgr, err := ctrl.NewManager(newConfig(), ctrl.Options{NewCache: crcache.New, Metrics: noMetrics})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()
	if err := mgr.GetClient().List(ctx, &corev1.PodList{}); err != nil {
		log.Fatal(err)
	}
	for status := range mgr.GetCache().(*crcache.Cache).Kinds() {
		fmt.Println(status.GroupVersionKind.Kind, status.Forms, status.Status.Objects)
	}
	// Output:
	// Pod [typed] 1
}

// A controller gets the events of an informer that the manager's cache does not have.
func ExampleNewSource() {
	config := newConfig()
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.New, Metrics: noMetrics, Controller: anyName})
	if err != nil {
		log.Fatal(err)
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	kind := cache.Kind[*corev1.Pod]{
		Resource:   corev1.SchemeGroupVersion.WithResource("pods"),
		Namespaced: true,
		ListWatch: func(namespace string) cache.ListerWatcher[*corev1.Pod] {
			return cache.NewListWatch[*corev1.Pod](clientset.CoreV1().Pods(namespace))
		},
	}
	pods, err := kind.NewInformer(cache.WithNamespace("team-a"))
	if err != nil {
		log.Fatal(err)
	}
	reconciled := make(chan string)
	err = ctrl.NewControllerManagedBy(mgr).
		Named("pod").
		WatchesRawSource(crcache.NewSource(pods, &handler.TypedEnqueueRequestForObject[*corev1.Pod]{})).
		Complete(reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
			reconciled <- request.Name
			return reconcile.Result{}, nil
		}))
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := start(mgr)
	defer stop()
	go pods.Run(ctx)
	defer pods.Stop()
	fmt.Println(<-reconciled)
	// Output:
	// web
}

func secret(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: name}}
}

// newConfig returns the configuration of a server in memory that has a pod, and other objects.
func newConfig(objects ...runtime.Object) *rest.Config {
	server, err := apitest.New(apitest.WithScheme(scheme.Scheme))
	if err == nil {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "web"}}
		err = server.Add(append(objects, pod)...)
	}
	if err != nil {
		log.Fatal(err)
	}
	return &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
}

var (
	// noMetrics opens no port.
	noMetrics = metricsserver.Options{BindAddress: "0"}
	// anyName allows several controllers of one name in a process.
	allow   = true
	anyName = config.Controller{SkipNameValidation: &allow}
)

// start runs mgr until stop is called. A program calls mgr.Start(ctrl.SetupSignalHandler()).
func start(mgr ctrl.Manager) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	mgr.GetCache().WaitForCacheSync(ctx)
	return ctx, func() {
		cancel()
		if err := <-ended; err != nil {
			log.Fatal(err)
		}
	}
}
