// This file is copied next to client-go's tests, in a module that upstream_test.go writes. It
// has what they use of client-go's internals, over the adapter.

package upstream

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// sharedIndexInformer is the adapter, and the registrations that it has returned.
type sharedIndexInformer struct {
	toolscache.SharedIndexInformer

	mu            sync.Mutex
	registrations []toolscache.ResourceEventHandlerRegistration

	// The tests set these clocks. The adapter uses the real time.
	clock     clock.PassiveClock
	processor struct{ clock clock.PassiveClock }
}

// sharedProcessorRunHook delays the goroutines of handlers in client-go. The adapter starts none
// before the first list.
var sharedProcessorRunHook atomic.Pointer[func()]

func newSharedInformer(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration) toolscache.SharedInformer {
	return &sharedIndexInformer{SharedIndexInformer: clientgo.NewSharedIndexInformer(lw, example, resync, toolscache.Indexers{})}
}

func (s *sharedIndexInformer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return s.keep(s.SharedIndexInformer.AddEventHandler(handler))
}

func (s *sharedIndexInformer) AddEventHandlerWithResyncPeriod(handler toolscache.ResourceEventHandler, period time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return s.keep(s.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handler, period))
}

func (s *sharedIndexInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return s.keep(s.SharedIndexInformer.AddEventHandlerWithOptions(handler, options))
}

func (s *sharedIndexInformer) keep(r toolscache.ResourceEventHandlerRegistration, err error) (toolscache.ResourceEventHandlerRegistration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.registrations = append(s.registrations, r)
	}
	return r, err
}

// eventHandlerCount counts the registrations that have not ended.
func eventHandlerCount(informer toolscache.SharedInformer) (n int) {
	s := informer.(*sharedIndexInformer)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.registrations {
		if !hasEnded(r) {
			n++
		}
	}
	return n
}

func isRegistered(informer toolscache.SharedInformer, registration toolscache.ResourceEventHandlerRegistration) bool {
	s := informer.(*sharedIndexInformer)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.registrations {
		if r == registration {
			return !hasEnded(r)
		}
	}
	return false
}

func hasEnded(r toolscache.ResourceEventHandlerRegistration) bool {
	select {
	case <-r.(cache.ResourceEventHandlerRegistration).Ended():
		return true
	default:
		return false
	}
}

func isStarted(informer toolscache.SharedInformer) bool {
	now := informer.(*sharedIndexInformer).SharedIndexInformer.(interface{ Status() cache.Status }).Status()
	return now.Phase != status.Pending
}

// newIndexer ignores keyFunc, because an adapter has the keys of MetaNamespaceKeyFunc.
func newIndexer(_ toolscache.KeyFunc, indexers toolscache.Indexers) toolscache.Indexer {
	indexer := clientgo.Indexer(cache.NewIndexer[cache.Object](nil))
	if err := indexer.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return indexer
}

func newStore(keyFunc toolscache.KeyFunc) toolscache.Store { return newIndexer(keyFunc, nil) }

// newTypedIndexer returns client-go's typed indexer over indexer.
func newTypedIndexer[T toolscache.Object](indexer toolscache.Indexer) toolscache.TypedIndexer[T] {
	return toolscache.NewTypedSharedIndexInformer[T](&stub{indexer: indexer}).GetTypedIndexer()
}

// newTypedHandler returns the untyped handler that client-go makes of handler.
func newTypedHandler[T toolscache.Object](handler toolscache.TypedResourceEventHandler[T]) toolscache.ResourceEventHandler {
	s := &stub{}
	if _, err := toolscache.NewTypedSharedIndexInformer[T](s).AddTypedEventHandler(handler); err != nil {
		panic(err)
	}
	if name := fmt.Sprintf("%T", s.handler); !strings.Contains(name, "typedResourceEventHandler") {
		panic("the handler is a " + name)
	}
	return s.handler
}

// stub is the informer that client-go's typed informer is made of, for one call.
type stub struct {
	toolscache.SharedIndexInformer
	indexer toolscache.Indexer
	handler toolscache.ResourceEventHandler
}

func (s *stub) GetIndexer() toolscache.Indexer { return s.indexer }

func (s *stub) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, _ toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	s.handler = handler
	return nil, nil
}
