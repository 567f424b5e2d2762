package testserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// instance is one run of a server: front, extensions and store. Every goroutine of the run ends in stop.
type instance struct {
	store      *store
	front      *front
	extensions *extensions
	transport  *http.Transport // of all clients that are ours

	stopCleaner func() // nil while it never ran

	cancel context.CancelFunc
	exited chan struct{} // closed when the API server has shut down; nil while it never ran
	runErr error         // of the API server; to be read after exited
}

// startInstance returns when the server is ready. On an error nothing is left of it.
func startInstance(ctx context.Context, settings settings, dataDir string, logs *logOutput) (_ *instance, err error) {
	i := &instance{transport: &http.Transport{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.stop())
		}
	}()

	if i.store, err = startStore(ctx, dataDir, logs); err != nil {
		return nil, err
	}
	// Only now, so that clients find the port closed during most of a restart, as they would in production.
	if i.front, err = listen(ctx, settings.address); err != nil {
		return nil, err
	}
	if i.extensions, err = newExtensions(settings, i.store, i.front, i.config()); err != nil {
		return nil, err
	}
	i.front.serve(i.extensions.handler(), logs)
	// The server's own controllers list CRDs as soon as they run. If the CRDs' storage is not ready then, they
	// are told to come back in a second, and so the whole start would take one. The check that the other storage
	// is ready is repeated after 100 ms.
	for _, path := range append(settings.kinds.Paths(), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions") {
		if err = i.await(ctx, path+"?"+untilCached); err != nil {
			return nil, err
		}
	}
	if i.extensions.webhooks != nil {
		if err = i.extensions.webhooks.start(ctx); err != nil {
			return nil, err
		}
	}
	i.run()
	if err = i.await(ctx, "/readyz"); err != nil {
		return nil, err
	}
	if err = i.createNamespaces(ctx); err != nil {
		return nil, err
	}
	if settings.kinds.Has(corev1.SchemeGroupVersion.WithKind("Service")) {
		if err = i.createService(ctx); err != nil {
			return nil, err
		}
	}
	if err = i.extensions.namespaces.Observe(ctx); err != nil {
		return nil, err
	}
	if err = i.runCleaner(); err != nil {
		return nil, err
	}
	return i, nil
}

// runCleaner starts to delete the contents of deleted namespaces.
func (i *instance) runCleaner() error {
	cleaner, err := newCleaner(i.extensions.namespaces, i.extensions.presence, i.config())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cleaned := make(chan struct{})
	go func() {
		defer close(cleaned)
		cleaner.run(ctx)
	}()
	i.stopCleaner = func() { cancel(); <-cleaned }
	return nil
}

// createNamespaces creates the namespaces that each cluster has, where they do not exist yet.
func (i *instance) createNamespaces(ctx context.Context) error {
	client, err := typedcorev1.NewForConfig(i.config())
	if err != nil {
		return fmt.Errorf("build a client for namespaces: %w", err)
	}
	for _, name := range builtin.SystemNamespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := client.Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			continue
		}
		// A webhook may refuse the create of a namespace that an earlier run has created.
		if _, missing := client.Namespaces().Get(ctx, name, metav1.GetOptions{}); missing != nil {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
	}
	return nil
}

// createService creates the Service of the API server, as kube-apiserver does, where it does not exist yet. Programs take it
// as the sign that a cluster is ready. Its address leads nowhere.
func (i *instance) createService(ctx context.Context) error {
	client, err := typedcorev1.NewForConfig(i.config())
	if err != nil {
		return fmt.Errorf("build a client for Services: %w", err)
	}
	const address = "10.0.0.1"
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kubernetes", Namespace: metav1.NamespaceDefault,
			Labels: map[string]string{"component": "apiserver", "provider": "kubernetes"},
		},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, ClusterIP: address, ClusterIPs: []string{address},
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}, IPFamilyPolicy: new(corev1.IPFamilyPolicySingleStack),
			Ports: []corev1.ServicePort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443}},
		},
	}
	_, err = client.Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{})
	if err == nil || apierrors.IsAlreadyExists(err) {
		return nil
	}
	// A webhook may refuse the create of the Service that an earlier run has created.
	if _, missing := client.Services(service.Namespace).Get(ctx, service.Name, metav1.GetOptions{}); missing != nil {
		return fmt.Errorf("create Service %s: %w", service.Name, err)
	}
	return nil
}

// untilCached are the parameters of a list that gets 429 until the watch cache is filled; one with a limit would
// be answered from etcd meanwhile. The selector, a label that no object has, keeps the answer short.
const untilCached = "resourceVersion=0&labelSelector=informer-gen.test%2Fnone"

// config is for clients inside this package, whose connections end with the instance.
func (i *instance) config() *rest.Config {
	return &rest.Config{Host: "http://" + i.front.address(), QPS: -1, Transport: i.transport}
}

func (i *instance) run() {
	// The run outlives the call that starts it.
	ctx, cancel := context.WithCancel(context.Background())
	i.cancel = cancel
	i.exited = make(chan struct{})
	go func() {
		defer close(i.exited)
		i.runErr = i.extensions.run(ctx)
	}()
}

const (
	probeInterval = 5 * time.Millisecond
	probeTimeout  = 5 * time.Second
)

// await asks for path until the answer is 200.
func (i *instance) await(ctx context.Context, path string) error {
	return i.until(ctx, func() error {
		_, err := i.probe(ctx, path)
		return err
	})
}

// until probes again and again, for want of a signal: what the API server is still setting up shows in its
// answers only.
func (i *instance) until(ctx context.Context, probe func() error) error {
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	for {
		failing := probe()
		if failing == nil {
			return nil
		}
		select {
		case <-i.exited: // nil, and so never, before the run
			return errors.Join(fmt.Errorf("%w; it exited while this was awaited: %w", ErrStopped, failing), i.runErr)
		case <-ctx.Done():
			return fmt.Errorf("waiting for the API server: %w; last answer: %w", context.Cause(ctx), failing)
		case <-ticker.C:
		}
	}
}

// probe asks once, without the retries of a client, which wait for whole seconds when the server says so. An
// answer that is not 200 is an error.
func (i *instance) probe(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.front.address()+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := i.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s: %s", path, response.Status, body)
	}
	return body, nil
}

// stop shuts down in the order of the requests' way in: the API server with its front, then the store.
func (i *instance) stop() error {
	var errs []error
	if i.stopCleaner != nil {
		i.stopCleaner()
	}
	if i.extensions != nil {
		if i.extensions.webhooks != nil {
			i.extensions.webhooks.stop()
		}
		if i.exited == nil {
			// Only a run's end releases the parts that were built.
			i.run()
		}
		i.cancel()
		<-i.exited
		if i.runErr != nil {
			errs = append(errs, fmt.Errorf("shut down the API server: %w", i.runErr))
		}
		i.extensions.server.Informers.Shutdown()
		i.extensions.calls.close()
	}
	if i.front != nil {
		errs = append(errs, i.front.stop())
	}
	i.transport.CloseIdleConnections()
	if i.store != nil {
		errs = append(errs, i.store.stop())
	}
	return errors.Join(errs...)
}
