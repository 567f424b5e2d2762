package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/progress"
)

// manager is a manager of controller-runtime with our cache. It keeps some fields of the objects, packed, of some namespaces, of
// which one or two at a time are replaced by others.
type manager struct {
	ctrl.Manager
	cache          *crcache.Cache
	informer       ctrlcache.Informer
	choice[string] // of namespaces
}

// newManager returns a manager, which does not run yet.
func newManager(config *rest.Config, observer *writes.Observer, random *rand.Rand) (*manager, error) {
	ctrl.SetLogger(logr.Discard())
	m := new(manager)
	for _, namespace := range random.Perm(namespaces)[:numberOfScopes] {
		m.chosen = append(m.chosen, namespaceOf(namespace))
	}
	newCache := crcache.NewFunc(
		crcache.WithReadYourWrites(observer), crcache.WithNamespacesOf(m.follow), crcache.WithPackedObjects(packed.Compression{}),
		crcache.WithFields(&datav1.Database{}, "metadata.labels", "spec.className", "spec.storageGi"),
	)
	scheme := apiruntime.NewScheme()
	if err := datav1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(datav1.SchemeGroupVersion.WithKind("Database"), meta.RESTScopeNamespace)
	var err error
	m.Manager, err = ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil },
		NewCache: func(config *rest.Config, options ctrlcache.Options) (ctrlcache.Cache, error) {
			made, err := newCache(config, options)
			m.cache, _ = made.(*crcache.Cache)
			return made, err
		},
	})
	if err != nil {
		return nil, err
	}
	if m.informer, err = m.cache.GetInformer(context.Background(), &datav1.Database{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		return nil, err
	}
	return m, ctrl.NewControllerManagedBy(m).Named("soak").For(&datav1.Database{}).
		WithOptions(controller.Options{SkipNameValidation: new(true)}). // a test makes several
		Complete(reconcile.Func(m.reconcile))
}

// reconcile reads an object, as a controller does.
func (m *manager) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	progress.Step()
	return reconcile.Result{}, client.IgnoreNotFound(m.GetClient().Get(ctx, request.NamespacedName, &datav1.Database{}))
}

// follow tells the cache the namespaces.
func (m *manager) follow(_ context.Context, set func(...string) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set = set
	return set(m.chosen...)
}

// change replaces one or two of the namespaces.
func (m *manager) change(random *rand.Rand) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == nil {
		return nil
	}
	next := slices.Clone(m.chosen)
	for range 1 + random.IntN(2) {
		if namespace := namespaceOf(random.IntN(namespaces)); !slices.Contains(next, namespace) {
			next[random.IntN(len(next))] = namespace
		}
	}
	return m.replace(next)
}

// has reports whether the cache follows an object. The caller holds mu, or nothing changes the namespaces.
func (m *manager) has(slot int, _ state) bool {
	return slices.Contains(m.chosen, namespaceOf(slot%namespaces))
}

func (m *manager) run(ctx context.Context) {
	if err := m.Start(ctx); err != nil {
		panic(err) // the soak has not ended it
	}
}

func (m *manager) hasSynced() bool { return m.informer.HasSynced() }

// status returns that of the only kind.
func (m *manager) status() status.Informer {
	for now := range m.cache.Statuses() {
		return now
	}
	return status.Informer{}
}

func (m *manager) read(name cache.ObjectName) (*datav1.Database, bool) {
	d := &datav1.Database{}
	err := m.cache.Get(context.Background(), client.ObjectKey{Namespace: name.Namespace, Name: name.Name}, d)
	return d, err == nil
}

func (m *manager) all() iter.Seq[*datav1.Database] {
	return func(yield func(*datav1.Database) bool) {
		list := &datav1.DatabaseList{}
		if err := m.cache.List(context.Background(), list); err != nil {
			return // and objects are missing
		}
		for i := range list.Items {
			if !yield(&list.Items[i]) {
				return
			}
		}
	}
}

func (m *manager) countIn(namespace string) (int, error) {
	if !slices.Contains(m.chosen, namespace) {
		return 0, nil // a list of it is an error
	}
	list := &datav1.DatabaseList{}
	err := m.cache.List(context.Background(), list, client.InNamespace(namespace))
	return len(list.Items), err
}

func (m *manager) add(l *ledger[*datav1.Database]) (remove func() error, err error) {
	registration, err := m.informer.AddEventHandler(clientcache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, isInInitialList bool) { l.OnAdd(obj.(*datav1.Database), isInInitialList) },
		UpdateFunc: func(oldObj, newObj any) { l.OnUpdate(oldObj.(*datav1.Database), newObj.(*datav1.Database)) },
		DeleteFunc: func(obj any) {
			last, isUnknown := obj.(clientcache.DeletedFinalStateUnknown)
			if isUnknown {
				obj = last.Obj
			}
			l.OnDelete(obj.(*datav1.Database), isUnknown)
		},
	})
	return func() error { return m.informer.RemoveEventHandler(registration) }, err
}

// manage makes a manager that a follower follows.
func manage(config *rest.Config, observer *writes.Observer, f *follower[*datav1.Database], random *rand.Rand) (*manager, error) {
	m, err := newManager(config, observer, random)
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	f.informer, f.selects, f.returns = m, m.has, true
	return m, f.listen()
}
