package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

type DeletedFinalStateUnknown struct {
	Key string
	Obj any
}

type ResourceEventHandler interface {
	OnAdd(obj any, isInInitialList bool)
	OnUpdate(oldObj, newObj any)
	OnDelete(obj any)
}

type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj any)
	UpdateFunc func(oldObj, newObj any)
	DeleteFunc func(obj any)
}

func (r ResourceEventHandlerFuncs) OnAdd(obj any, isInInitialList bool) {}
func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj any)         {}
func (r ResourceEventHandlerFuncs) OnDelete(obj any)                    {}

type FilteringResourceEventHandler struct {
	FilterFunc func(obj any) bool
	Handler    ResourceEventHandler
}

func (r FilteringResourceEventHandler) OnAdd(obj any, isInInitialList bool) {}
func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj any)         {}
func (r FilteringResourceEventHandler) OnDelete(obj any)                    {}

type ResourceEventHandlerRegistration interface{ HasSynced() bool }

type (
	Indexers       map[string]func(obj any) ([]string, error)
	TransformFunc  func(any) (any, error)
	InformerSynced func() bool
)

type Store interface {
	Add(obj any) error
	List() []any
	Get(obj any) (item any, exists bool, err error)
	GetByKey(key string) (item any, exists bool, err error)
}

func NewStore() Store { return nil }

type Indexer interface {
	Store
	ByIndex(name, value string) ([]any, error)
}

type SharedInformer interface {
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, period time.Duration) (ResourceEventHandlerRegistration, error)
	GetStore() Store
	Run(stop <-chan struct{})
	HasSynced() bool
	SetTransform(transform TransformFunc) error
}

type SharedIndexInformer interface {
	SharedInformer
	AddIndexers(indexers Indexers) error
	GetIndexer() Indexer
}

func NewSharedIndexInformer() SharedIndexInformer { return nil }

type GenericLister interface {
	List(selector labels.Selector) ([]runtime.Object, error)
	Get(name string) (runtime.Object, error)
}

func MetaNamespaceKeyFunc(obj any) (string, error)                 { return "", nil }
func DeletionHandlingMetaNamespaceKeyFunc(obj any) (string, error) { return "", nil }
func WaitForCacheSync(stop <-chan struct{}, synced ...InformerSynced) bool {
	return true
}
