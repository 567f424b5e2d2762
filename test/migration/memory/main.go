// Command memory runs the operator on an API server in memory until it has created the Deployment of a Foo. For each version
// of Kubernetes, make test-matrix generates the code of the operator with --informers=client-go, and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
	"github.com/typedinformers/informer-gen/test/migration/clientgo/controller"
	"github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	server, err := apitest.New(apitest.WithScheme(scheme.Scheme), apitest.WithKinds(apitest.Kind{
		GroupVersionKind: v1alpha1.SchemeGroupVersion.WithKind("Foo"), Resource: "foos", Namespaced: true, Status: true, Type: &v1alpha1.Foo{},
	}))
	if err != nil {
		return err
	}
	config := &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
	kube, foos := kubernetes.NewForConfigOrDie(config), versioned.NewForConfigOrDie(config)

	operating, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(operating, kube, foos, controller.Options{Workers: 1}) }()

	replicas := int32(3)
	foo := &v1alpha1.Foo{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       v1alpha1.FooSpec{DeploymentName: "web-1", Replicas: &replicas},
	}
	if _, err := foos.SamplecontrollerV1alpha1().Foos("team-a").Create(ctx, foo, metav1.CreateOptions{}); err != nil {
		return err
	}
	deployments, err := kube.AppsV1().Deployments("team-a").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=web-1"})
	if err != nil {
		return err
	}
	defer deployments.Stop()
	select {
	case err := <-ended:
		return fmt.Errorf("the operator has ended: %w", err)
	case _, open := <-deployments.ResultChan():
		if !open {
			return errors.New("the operator has created no Deployment")
		}
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	fmt.Println("a factory with one informer: reconciled")
	return nil
}
