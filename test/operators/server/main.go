// Command server runs a test server until its input ends. It prints the path of a kubeconfig when it is ready.
//
// It is a program of its own, because the kernel counts the memory of a process for the processes that it starts.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/testserver"
)

// served are the built-in kinds that the tests of the operators use.
var served = []runtime.Object{
	&admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{},
	&appsv1.DaemonSet{}, &appsv1.Deployment{}, &batchv1.Job{},
	&corev1.ConfigMap{}, &corev1.Node{}, &corev1.PersistentVolume{}, &corev1.PersistentVolumeClaim{}, &corev1.Pod{}, &corev1.Secret{}, &corev1.Service{},
	&rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.Role{}, &rbacv1.RoleBinding{},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	server, err := testserver.New(context.Background(), testserver.WithBuiltIn(served...), testserver.WithNamespaceLifecycle())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	// An interrupt ends the input too, because it ends the program that started this one.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	fmt.Println(server.Kubeconfig())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
