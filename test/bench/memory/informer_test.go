package memory

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// side is one of the runtimes.
type side struct {
	name string
	// newInformer makes an informer that reads from s, with as many indexes, and with a
	// handler for each counter.
	newInformer func(s *source, indexes int, counters meter.Counters) (*informer, error)
	// newCache makes a cache of these objects, without an informer.
	newCache func(pods []*corev1.Pod, indexes int) (any, error)
}

var sides = []side{
	{"informer-gen", newOurs, newOurCache},
	{"client-go", newTheirs, newTheirCache},
}

// informer is one of a side, and its cache. Its lister is generated, so both sides' reads
// take the same calls through interfaces.
type informer struct {
	// run returns when the informer has ended with ctx.
	run    func(ctx context.Context)
	lister corelisters.PodLister
	// byNode returns how many pods it has found.
	byNode func(node string) (int, error)
	// byIndex is for checks, and not measured.
	byIndex func(index, value string) ([]*corev1.Pod, error)
}

var errOther = errors.New("the lister has returned another object than it was asked for")

// get reads an object.
func (i *informer) get(name cache.ObjectName) error {
	pod, err := i.lister.Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return err
	}
	if pod.Name != name.Name {
		return errOther
	}
	return nil
}

// listNamespace and listAll return how many pods they have found.
func (i *informer) listNamespace(namespace string) (int, error) {
	pods, err := i.lister.Pods(namespace).List(labels.Everything())
	return len(pods), err
}

func (i *informer) listAll() (int, error) {
	pods, err := i.lister.List(labels.Everything())
	return len(pods), err
}
