package cache

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SharedInformerOption changes a factory when it is made.
type SharedInformerOption func(*SharedInformerFactory)

// WithNamespace limits the informers of namespaced kinds to one namespace.
// Those of cluster-scoped kinds are not affected.
func WithNamespace(namespace string) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.namespace = namespace }
}

// WithTweakListOptions lets tweak change the options of every list and watch, to
// set a label or field selector. The informers depend on the paging, versions
// and timeouts that they ask for: leave these alone.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.tweakListOptions = tweak }
}

// WithoutStreamingList lets the informers list in pages from the start; see
// Config.DisableStreamingList.
func WithoutStreamingList() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.noStreamingList = true }
}

// WithPanicRecovery lets handlers that panic go on; see
// Config.RecoverHandlerPanics.
func WithPanicRecovery() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.recoverPanics = true }
}

// WithMutationDetector panics when somebody changes an object of a cache; see
// Config.DetectMutations. It is meant for tests.
func WithMutationDetector() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.detectMutations = true }
}

// WithMutationValues is WithMutationDetector that prints also the values of the fields
// that were changed, which may be those of Secrets; see Config.MutationValues.
func WithMutationValues() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.detectMutations, f.mutationValues = true, true }
}

// WithBackoff sets how long informers wait before they try again a list or watch that
// failed for a reason; "" is for all reasons without a backoff of their own. What is
// zero keeps its default; see Config.Backoffs.
func WithBackoff(reason Reason, backoff Backoff) SharedInformerOption {
	return func(f *SharedInformerFactory) {
		if f.backoffs == nil {
			f.backoffs = map[Reason]Backoff{}
		}
		f.backoffs[reason] = backoff
	}
}

// WithoutManagedFields leaves metadata.managedFields out of all objects: it is never
// allocated.
func WithoutManagedFields() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.WithoutManagedFields = true }
}

// WithoutAnnotations leaves the annotations with these keys out of all objects, such
// as kubectl's copy of the whole, corev1.LastAppliedConfigAnnotation: they are never
// allocated.
func WithoutAnnotations(keys ...string) SharedInformerOption {
	return func(f *SharedInformerFactory) {
		f.decode.WithoutAnnotations = append(f.decode.WithoutAnnotations, keys...)
	}
}

// SkipUndecodable lets informers go on without objects that cannot be decoded. Each
// is reported, and is in Status until a later state of it can be decoded or it is
// gone; the cache keeps the last state that could. The same holds for objects above
// WithMaxObjectBytes. Without this option a list fails as long as it has one. Even with
// it, an object whose name cannot be read fails the list. Objects that a client decodes,
// as a fake one, are not skipped.
func SkipUndecodable() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.SkipUndecodable = true }
}

// WithoutObjectTextInErrors leaves text of objects out of errors, logs and Status. They
// still have the names of objects and of fields of Go types. It is always set for
// Secrets; see DecodeOptions.WithoutObjectTextInErrors.
func WithoutObjectTextInErrors() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.WithoutObjectTextInErrors = true }
}

// WithMaxObjectBytes limits how many bytes of JSON an object may have: one that has
// more fails the list or watch, which names it, or is skipped, with SkipUndecodable.
// Without it, and for 0, the limit is wire.DefaultMaxObjectBytes. An informer logs a
// warning if the limit is below wire.EtcdRequestBytes.
func WithMaxObjectBytes(limit int) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.MaxObjectBytes = limit }
}

// WithListerWatcher sets where the objects of one kind come from, instead of the
// client of the factory. source is given the namespace that the factory is limited
// to, if the kind has namespaces. A test gives a view of a kind of another project
// its objects so:
//
//	cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*PodSummary] {
//		return cache.NewViewListWatch[*PodSummary](kubeclient.CoreV1().Pods(namespace))
//	})
func WithListerWatcher[T Object](source func(namespace string) ListerWatcher[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).source = source }
}

// WithTransform changes the objects of one kind before they are stored:
//
//	cache.WithTransform(func(foo *v1.Foo) (*v1.Foo, error) { foo.ManagedFields = nil; return foo, nil })
func WithTransform[T Object](transform TransformFunc[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).transform = transform }
}

// WithCustomResync sets the resync period of one kind, instead of the one of the
// factory: cache.WithCustomResync[*v1.Foo](time.Minute).
func WithCustomResync[T Object](period time.Duration) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).resyncPeriod = &period }
}

// WithFieldSelector limits the informer of one kind to the objects that selector
// selects on the server:
//
//	cache.WithFieldSelector(examplev1.FooFieldSpecColor.Is("blue"))
//
// Several limit it to what all of them select.
func WithFieldSelector[T Object](selector FieldSelector[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) {
		settings := settingsOf[T](f)
		settings.fieldSelector = settings.fieldSelector.And(selector)
	}
}

type kindSettings[T Object] struct {
	transform     TransformFunc[T]
	fieldSelector FieldSelector[T]
	resyncPeriod  *time.Duration
	source        func(namespace string) ListerWatcher[T]
}

func settingsOf[T Object](f *SharedInformerFactory) *kindSettings[T] {
	kind := reflect.TypeFor[T]()
	if f.ofKind[kind] == nil {
		f.ofKind[kind] = &kindSettings[T]{}
	}
	return f.ofKind[kind].(*kindSettings[T])
}
