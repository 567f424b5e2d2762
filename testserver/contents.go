package testserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// cleaner deletes the contents of namespaces that are being deleted, and then the namespaces, as the namespace
// controller of a cluster does.
type cleaner struct {
	namespaces *builtin.Namespaces
	presence   *builtin.Presence
	discovery  *discovery.DiscoveryClient
	metadata   metadata.Interface
}

func newCleaner(namespaces *builtin.Namespaces, presence *builtin.Presence, config *rest.Config) (*cleaner, error) {
	discovery, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("build a client for the contents of namespaces: %w", err)
	}
	metadata, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("build a client for the contents of namespaces: %w", err)
	}
	return &cleaner{namespaces: namespaces, presence: presence, discovery: discovery, metadata: metadata}, nil
}

// An object with a finalizer keeps its namespace until someone removes the finalizer. Nothing signals that the
// last object of a namespace has gone, so the cleaner looks again after these times, less and less often.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// run blocks until ctx is done.
func (c *cleaner) run(ctx context.Context) {
	wait := firstLook
	for {
		for _, name := range c.presence.AllTerminating() {
			if err := c.clean(ctx, name); err != nil && ctx.Err() == nil {
				klog.Background().Error(err, "Deleting the contents of a namespace failed, and is tried again", "namespace", name)
			}
		}
		var again <-chan time.Time
		if len(c.presence.AllTerminating()) > 0 {
			again = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.presence.Changed():
			wait = firstLook
		case <-again:
			wait = min(2*wait, lastLook)
		}
	}
}

// clean deletes the contents of a namespace, and the namespace if it is empty then.
func (c *cleaner) clean(ctx context.Context, namespace string) error {
	resources, err := c.resources(ctx)
	if err != nil {
		return err
	}
	empty := true
	var errs []error
	for _, resource := range resources {
		gone, err := c.cleanResource(ctx, c.metadata.Resource(resource).Namespace(namespace))
		if err != nil {
			errs = append(errs, fmt.Errorf("delete %s: %w", resource.GroupResource(), err))
		}
		empty = empty && gone
	}
	if len(errs) > 0 || !empty {
		return errors.Join(errs...)
	}
	return c.namespaces.Finish(ctx, namespace)
}

// cleanResource deletes the objects of a resource, and reports whether none is left.
func (c *cleaner) cleanResource(ctx context.Context, objects metadata.ResourceInterface) (gone bool, err error) {
	some := metav1.ListOptions{Limit: 1}
	list, err := objects.List(ctx, some)
	if err != nil || len(list.Items) == 0 {
		return err == nil, err
	}
	// In a cluster a kubelet ends the grace period of a Pod. There is none here, so the period is 0.
	background, noGrace := metav1.DeletePropagationBackground, int64(0)
	if err := objects.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background, GracePeriodSeconds: &noGrace}, metav1.ListOptions{}); err != nil {
		return false, err
	}
	list, err = objects.List(ctx, some)
	return err == nil && len(list.Items) == 0, err
}

// resources are the resources that are namespaced.
func (c *cleaner) resources(ctx context.Context) ([]schema.GroupVersionResource, error) {
	lists, err := c.discovery.ServerPreferredNamespacedResourcesWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover what namespaces hold: %w", err)
	}
	var resources []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discover what namespaces hold: %w", err)
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "deletecollection") {
				resources = append(resources, version.WithResource(resource.Name))
			}
		}
	}
	return resources, nil
}
