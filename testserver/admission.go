package testserver

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// lifecycle refuses to create objects in namespaces that are being deleted, because their contents would come back
// while they are deleted. If strict is set, it refuses too if the namespace does not exist. In a cluster the
// admission plugin NamespaceLifecycle does both. It comes before webhooks, so these are not called then.
type lifecycle struct {
	presence *builtin.Presence
	strict   bool
}

func (lifecycle) Handles(operation admission.Operation) bool { return operation == admission.Create }

func (l lifecycle) Admit(_ context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	name := attributes.GetNamespace()
	if name == "" || attributes.GetKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind() {
		return nil
	}
	switch {
	case l.presence.Terminating(name):
		err := apierrors.NewForbidden(attributes.GetResource().GroupResource(), attributes.GetName(),
			fmt.Errorf("namespace %s is being deleted; create the object in another namespace, or after it is gone", name))
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
			Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", name), Field: "metadata.namespace",
		})
		return err
	case l.strict && l.presence.Missing(name):
		return apierrors.NewNotFound(corev1.Resource("namespaces"), name)
	}
	return nil
}

// noEstablishedDelay makes a CRD look as if it had been established before. The API server sleeps for 2 s in a
// create that comes within 2 s after its CRD is established, so that all API servers of a cluster serve the CRD
// then. Here is only one.
type noEstablishedDelay struct{}

// establishedDelay is the time in which the API server sleeps.
const establishedDelay = 2 * time.Second

func (noEstablishedDelay) Handles(operation admission.Operation) bool {
	return operation == admission.Update
}

func (noEstablishedDelay) Admit(_ context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	crd, ok := attributes.GetObject().(*apiextensions.CustomResourceDefinition)
	if !ok {
		return nil
	}
	for i := range crd.Status.Conditions {
		condition := &crd.Status.Conditions[i]
		if condition.Type == apiextensions.Established && time.Since(condition.LastTransitionTime.Time) < establishedDelay {
			condition.LastTransitionTime = metav1.NewTime(condition.LastTransitionTime.Add(-establishedDelay))
		}
	}
	return nil
}

var _, _ admission.MutationInterface = lifecycle{}, noEstablishedDelay{}
