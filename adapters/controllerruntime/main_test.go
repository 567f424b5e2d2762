package crcache

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/typedinformers/informer-gen/internal/synced"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(m,
		// That of controller-runtime's own cache, with which a test compares.
		goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"),
		// That of controllers of controller-runtime before v0.23.
		goleak.IgnoreTopFunction("k8s.io/client-go/util/workqueue.(*Typed[...]).updateUnfinishedWorkLoop"))
}

// The functions below call what only newer libraries of Kubernetes have.

// syncedOf returns a channel that is closed when HasSynced is true, as the DoneChecker of client-go since v0.36.
func syncedOf(of any) <-chan struct{} {
	switch of := of.(type) {
	case interface{ Synced() <-chan struct{} }: // a registration of clientgo
		return of.Synced()
	case interface{ checker() synced.Checker }:
		return of.checker().Done()
	}
	if method := reflect.ValueOf(of).MethodByName("HasSyncedChecker"); method.IsValid() {
		return method.Call(nil)[0].Interface().(interface{ Done() <-chan struct{} }).Done()
	}
	done := make(chan struct{})
	toolscache.WaitForCacheSync(nil, of.(toolscache.ResourceEventHandlerRegistration).HasSynced) // of an older client-go
	close(done)
	return done
}

// shutDownEventHandler is client-go's ShutDownEventHandler, which it has since v0.37.
func shutDownEventHandler(informer interface {
	RemoveEventHandler(toolscache.ResourceEventHandlerRegistration) error
}, handle toolscache.ResourceEventHandlerRegistration) error {
	err := informer.RemoveEventHandler(handle)
	if err == nil {
		<-handle.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
	}
	return err
}

// fieldsV1 is NewFieldsV1, which metav1 has since v0.36.
func fieldsV1(raw string) *metav1.FieldsV1 {
	fields := &metav1.FieldsV1{}
	if err := json.Unmarshal([]byte(raw), fields); err != nil {
		panic(err)
	}
	return fields
}

// setField sets a field, and reports whether there is one.
func setField[S, V any](of *S, name string, value V) bool {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	if field.IsValid() {
		field.Set(reflect.ValueOf(value).Convert(field.Type()))
	}
	return field.IsValid()
}

// newBlocked returns an informer of client-go that is synced after release.
func newBlocked() (informer toolscache.SharedIndexInformer, release func()) {
	released := make(chan struct{})
	return toolscache.NewSharedIndexInformer(&toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			select {
			case <-released:
			case <-ctx.Done():
			}
			return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, ctx.Err()
		},
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if options.SendInitialEvents != nil {
				return nil, apierrors.NewBadRequest("no streaming lists")
			}
			return watch.NewFake(), nil
		},
	}, &metav1.PartialObjectMetadata{}, 0, toolscache.Indexers{}), func() { close(released) }
}
