// Command memory runs a manager with the controller of sites on an API server in memory until it has created the Deployment
// of a site. make test-matrix runs it with each version of Kubernetes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/apitest"
	webv1 "github.com/typedinformers/informer-gen/test/kubebuilder/api/v1"
	"github.com/typedinformers/informer-gen/test/kubebuilder/internal/controller"
)

func main() {
	ctrl.SetLogger(zap.New())
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if err := webv1.AddToScheme(scheme.Scheme); err != nil {
		return err
	}
	server, err := apitest.New(apitest.WithScheme(scheme.Scheme), apitest.WithKinds(
		apitest.Kind{GroupVersionKind: webv1.GroupVersion.WithKind("Site"), Resource: "sites", Namespaced: true, Status: true, Type: &webv1.Site{}},
		apitest.Kind{GroupVersionKind: webv1.GroupVersion.WithKind("Theme"), Resource: "themes", Namespaced: true, Status: true, Type: &webv1.Theme{}},
	))
	if err != nil {
		return err
	}
	config := &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:   scheme.Scheme,
		Metrics:  metricsserver.Options{BindAddress: "0"},
		NewCache: crcache.New,
	})
	if err != nil {
		return err
	}
	if err := (&controller.SiteReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}).SetupWithManager(mgr); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()

	user, err := client.NewWithWatch(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	for _, obj := range []client.Object{
		&webv1.Theme{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "dark"}, Spec: webv1.ThemeSpec{Color: "black"}},
		&webv1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "web"}, Spec: webv1.SiteSpec{Theme: "dark", Replicas: 1}},
	} {
		if err := user.Create(ctx, obj); err != nil {
			return err
		}
	}
	deployments, err := user.Watch(ctx, &appsv1.DeploymentList{}, client.InNamespace("team-a"))
	if err != nil {
		return err
	}
	defer deployments.Stop()
	select {
	case err := <-ended:
		return fmt.Errorf("the manager has ended: %w", err)
	case _, open := <-deployments.ResultChan():
		if !open {
			return errors.New("the manager has created no Deployment")
		}
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	fmt.Println("a manager with one reconciler: reconciled")
	return nil
}
