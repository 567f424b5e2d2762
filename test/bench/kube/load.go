package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// load creates the objects. It writes them to etcd: through the API server it would take
// minutes, and kubelets and controllers have more to write than a creator of pods.
type load struct {
	crd string
}

func (l *load) flags() {
	pflag.StringVar(&l.crd, "crd", "", "load: manifest `FILE` of a CRD to install first")
}

func (l *load) run(ctx context.Context, o options) error {
	if l.crd != "" {
		if err := l.install(ctx, o); err != nil {
			return fmt.Errorf("install %s: %w", l.crd, err)
		}
	}
	if err := l.createNamespaces(ctx, o); err != nil {
		return err
	}
	k := kinds[o.kind]
	var writers []metav1.ManagedFieldsEntry
	if k.model != nil {
		var err error
		if writers, err = l.writers(ctx, o, k); err != nil {
			return err
		}
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{o.etcd}, Context: ctx})
	if err != nil {
		return err
	}
	defer client.Close()
	const together, connections = 100, 4
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(connections)
	for first := 0; first < o.objects; first += together {
		group.Go(func() error {
			var puts []clientv3.Op
			for i := first; i < min(first+together, o.objects); i++ {
				text, err := k.stored(i, writers)
				if err != nil {
					return err
				}
				namespace, name := podserver.Name(i)
				puts = append(puts, clientv3.OpPut(k.key+namespace+"/"+name, string(text)))
			}
			return put(ctx, client, puts)
		})
	}
	return group.Wait()
}

// put writes objects. Etcd gives up a write after 5 s, which happens if other programs have the processors. It may
// have written them then, so they are written again.
func put(ctx context.Context, client *clientv3.Client, puts []clientv3.Op) error {
	for {
		_, err := client.Txn(ctx).Then(puts...).Commit()
		if !isTimeout(err) || pause(ctx) != nil {
			return err
		}
	}
}

// createNamespaces creates the namespaces, without which the API server takes no updates.
func (l *load) createNamespaces(ctx context.Context, o options) error {
	clients, err := kubernetes.NewForConfig(o.config())
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for i := range o.objects {
		name, _ := podserver.Name(i)
		if names[name] {
			continue
		}
		names[name] = true
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := clients.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// install creates the CRD, and returns when its objects are served.
func (l *load) install(ctx context.Context, o options) error {
	text, err := os.ReadFile(l.crd)
	if err != nil {
		return err
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		return err
	}
	path, err := collectionOf(crd)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(o.config())
	if err != nil {
		return err
	}
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := client.Resource(crds).Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		return err
	}
	web, err := rest.HTTPClientFor(o.config())
	if err != nil {
		return err
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path+"?resourceVersion=0", nil)
		if err != nil {
			return err
		}
		response, err := web.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the CRD: %s: %w", response.Status, ctx.Err())
		}
	}
}

// collectionOf returns the path of the objects of a CRD, in its first version.
func collectionOf(crd *unstructured.Unstructured) (string, error) {
	var of apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &of); err != nil {
		return "", err
	}
	if len(of.Spec.Versions) == 0 {
		return "", errors.New("it has no version")
	}
	k := kind{resource: schema.GroupVersionResource{Group: of.Spec.Group, Version: of.Spec.Versions[0].Name, Resource: of.Spec.Names.Plural}}
	return k.path(), nil
}
