package scan

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type controller struct {
	client.Client
	lister listers.PodLister
}

func (c *controller) Reconcile() {}

// command has a client without a cache.
type command struct{ client.Client }

func (c *command) find(ctx context.Context, name string) (count int) {
	var pods corev1.PodList
	c.List(ctx, &pods)
	for _, pod := range pods.Items {
		if pod.Spec.NodeName == name {
			count++
		}
	}
	return count
}

func (c *controller) node(name string) (found []*corev1.Pod) {
	pods, err := c.lister.List(labels.Everything()) // want `each call reads every Pod in the cache to find those whose spec.nodeName is name; add an indexer of spec.nodeName, and call ByIndex`
	if err != nil {
		return nil
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == name {
			found = append(found, pod)
		}
	}
	return found
}

func (c *controller) byName(ctx context.Context, name string) *corev1.Pod {
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace("a")); err != nil { // want `each call copies every Pod of the namespace to find those whose name is name; call Get`
		return nil
	}
	for n := range pods.Items {
		pod := &pods.Items[n]
		if pod.Name != name || pod.Status.Phase != "Running" {
			continue
		}
		return pod
	}
	return nil
}

func (c *controller) byImage(ctx context.Context, image string) (names []string) {
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods); err != nil { // want `those whose spec.image is image; call IndexField with "spec.image"`
		return nil
	}
	for _, pod := range pods.Items {
		if pod.Spec.Image == nil {
			continue
		}
		if *pod.Spec.Image == image {
			names = append(names, pod.Name)
		}
	}
	return names
}

func (c *controller) right(ctx context.Context, name string) (count int) {
	var pods, indexed corev1.PodList
	c.List(ctx, &pods)
	for _, pod := range pods.Items {
		if pod.Status.Phase == "Running" { // an index would have few values
			count++
		}
	}
	c.List(ctx, &indexed, client.MatchingFields{"spec.nodeName": name})
	for _, pod := range indexed.Items {
		if pod.Spec.NodeName == name {
			count++
		}
	}
	all, _ := c.lister.List(labels.Everything())
	for _, pod := range all {
		if pod.Spec.NodeName == name {
			count++
		}
		count++ // The loop is about all pods.
	}
	return count
}

func (c *controller) pageWrong(ctx context.Context, node string) (names []string) {
	var pods corev1.PodList
	err := c.List(ctx, &pods) // want `each call copies every Pod in the cache to find those whose spec.nodeName is node`
	for _, pod := range pods.Items {
		if pod.Spec.NodeName == node {
			names = append(names, pod.Name)
		}
	}
	println(err)
	return names
}

func (c *controller) pageRight(ctx context.Context, node string) (names []string) {
	var pods corev1.PodList
	err := c.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node})
	for _, pod := range pods.Items {
		names = append(names, pod.Name)
	}
	println(err)
	return names
}
