package testserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

// InstallCRDs creates the CRDs, or updates those that exist, and returns when all are established, listed by
// discovery and served in every served version. The arguments are not changed.
//
// If an update changes a CRD's spec, the server ends the watches of its objects a second later.
func (s *Server) InstallCRDs(ctx context.Context, crds ...*apiextensionsv1.CustomResourceDefinition) error {
	i, err := s.running()
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(i.config())
	if err != nil {
		return fmt.Errorf("build a client for CRDs: %w", err)
	}
	applied := make([]*apiextensionsv1.CustomResourceDefinition, len(crds))
	for n, crd := range crds {
		if applied[n], err = applyCRD(ctx, client, crd); err != nil {
			return fmt.Errorf("install CRD %s: %w", crd.Name, err)
		}
	}
	for _, crd := range applied {
		if err := i.awaitEstablished(ctx, crd); err != nil {
			return fmt.Errorf("install CRD %s: %w", crd.Name, err)
		}
		if err := i.awaitServed(ctx, crd); err != nil {
			return fmt.Errorf("install CRD %s: %w", crd.Name, err)
		}
	}
	return nil
}

func applyCRD(ctx context.Context, client *clientset.Clientset, crd *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	created, err := crds.Create(ctx, crd, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	var updated *apiextensionsv1.CustomResourceDefinition
	// The server's controllers write the status meanwhile, and that is a conflict.
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		existing, err := crds.Get(ctx, crd.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if existing.DeletionTimestamp != nil {
			return errors.New("it is being deleted: wait until it is gone")
		}
		desired := crd.DeepCopy()
		desired.ResourceVersion = existing.ResourceVersion
		updated, err = crds.Update(ctx, desired, metav1.UpdateOptions{})
		return err
	})
	return updated, err
}

// awaitEstablished listens to the informer that the CRD handler itself looks up CRDs in.
func (i *instance) awaitEstablished(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	verdict := make(chan error, 1)
	look := func(object any) {
		seen, ok := object.(*apiextensionsv1.CustomResourceDefinition)
		if !ok || seen.UID != crd.UID || seen.Generation < crd.Generation {
			return
		}
		done, err := established(seen)
		if !done && err == nil {
			return
		}
		select {
		case verdict <- err:
		default: // the first verdict stands
		}
	}
	informer := i.extensions.server.Informers.Apiextensions().V1().CustomResourceDefinitions().Informer()
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    look,
		UpdateFunc: func(_, object any) { look(object) },
	})
	if err != nil {
		return fmt.Errorf("listen to the API server's CRDs: %w", err)
	}
	// It fails only for a handler of another informer.
	defer func() { _ = informer.RemoveEventHandler(registration) }()

	select {
	case err := <-verdict:
		return err
	case <-i.exited:
		return ErrStopped
	case <-ctx.Done():
		return fmt.Errorf("waiting for it to be established: %w", context.Cause(ctx))
	}
}

// established says whether crd is established, or the reason why it will not be.
func established(crd *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	done := false
	for _, condition := range crd.Status.Conditions {
		switch condition.Type {
		case apiextensionsv1.NamesAccepted:
			if condition.Status == apiextensionsv1.ConditionFalse {
				return false, fmt.Errorf("its names are not accepted: %s: give it other names, or delete the CRD that has them", condition.Message)
			}
		case apiextensionsv1.Established:
			done = condition.Status == apiextensionsv1.ConditionTrue
		}
	}
	return done, nil
}

// awaitServed asks for the objects and for discovery until both are there, in every version: storage and
// discovery are set up by controllers that signal nobody. It takes a few tens of milliseconds.
func (i *instance) awaitServed(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	return i.until(ctx, func() error { return i.probeServed(ctx, crd) })
}

func (i *instance) probeServed(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	plural := crd.Spec.Names.Plural
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		path := "/apis/" + crd.Spec.Group + "/" + version.Name
		if _, err := i.probe(ctx, path+"/"+plural+"?"+untilCached); err != nil {
			return err
		}
		body, err := i.probe(ctx, path)
		if err != nil {
			return err
		}
		var resources metav1.APIResourceList
		if err := json.Unmarshal(body, &resources); err != nil {
			return fmt.Errorf("read discovery of %s: %w", path, err)
		}
		if !slices.ContainsFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Name == plural }) {
			return fmt.Errorf("discovery of %s does not list %s yet", path, plural)
		}
	}
	return nil
}
