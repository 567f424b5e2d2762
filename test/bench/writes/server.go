package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
)

// server is the API server, read and written without a cache and without being measured.
type server struct {
	kube   *kubernetes.Clientset
	client *versioned.Clientset
}

func newServer(config *rest.Config) (*server, error) {
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	client, err := versioned.NewForConfig(config)
	return &server{kube, client}, err
}

// prepare deletes what an earlier process has left, and creates the databases.
func (s *server) prepare(ctx context.Context, objects int) error {
	_, err := s.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	databases, servers := s.client.DataV1().Databases(namespace), s.client.DataV1().DatabaseServers(namespace)
	if err := databases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := servers.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range objects {
		group.Go(func() error {
			_, err := databases.Create(ctx, &datav1.Database{
				ObjectMeta: metav1.ObjectMeta{Name: databaseName(i)},
				Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 10},
			}, metav1.CreateOptions{})
			return err
		})
	}
	return group.Wait()
}

func databaseName(i int) string { return fmt.Sprintf("db-%04d", i) }

func (s *server) databases(ctx context.Context) ([]datav1.Database, error) {
	list, err := s.client.DataV1().Databases(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (s *server) servers(ctx context.Context) ([]datav1.DatabaseServer, error) {
	list, err := s.client.DataV1().DatabaseServers(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
