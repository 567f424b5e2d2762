package demo

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

// Pause is the time between two changes while a demo stays.
const Pause = time.Second

// Size returns the size in GiB that a Database gets by a change: now and then more than its class has.
func Size(change int) int32 {
	if change%10 == 0 {
		return 500
	}
	return int32(20 + change%60)
}

// Report reports that a server is ready, as the agent on it would.
func Report(ctx context.Context, client versioned.Interface, factory informers.SharedInformerFactory, namespace, name string) error {
	cached, err := factory.Data().V1().DatabaseServers().Lister().DatabaseServers(namespace).Get(name)
	if err != nil {
		return err
	}
	server := cached.DeepCopy()
	server.Status.Ready = true
	_, err = client.DataV1().DatabaseServers(namespace).UpdateStatus(ctx, server, metav1.UpdateOptions{})
	return err
}

// IsFinal reports whether err ends a demo. The controller, or a user of kubectl, may have written or deleted the object
// meanwhile, or the lister may not have it yet: then the next change does what this one did not.
func IsFinal(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err)
}
