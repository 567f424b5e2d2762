// Package rest implements the verbs of the API: it creates, changes, deletes and finds objects by the
// rules of a kube-apiserver, and then does the work of the garbage collector and of the namespaces'
// controller. It knows no HTTP.
//
//	Create ─▶ insert ─▶ ┐                          ┌▶ history
//	Update, Patch, Apply ─▶ replace ─▶ put, erase ─┤
//	Delete, DeleteCollection ─▶ remove ─▶ ┘        └▶ observe ─▶ collector ─▶ remove, replace
package rest

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/naming"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

// Store has the objects of a server. What is exported of it is set before the first request.
type Store struct {
	// Now is the source of timestamps.
	Now func() time.Time
	// Namespaces reports whether an object can be created only in a namespace that exists.
	Namespaces bool
	// Collects reports whether objects are deleted with their owners.
	Collects bool

	// Mutex guards the fields below. It is held while a request reads or writes objects, and not while bodies are encoded.
	sync.Mutex
	Kinds   *kinds.Registry
	History *history.History
	// collector has the work that follows from writes.
	collector collector
	names     naming.Names
	closed    bool
	// closing is sent by Close.
	closing history.Signal
}

// New returns a Store without objects.
func New() *Store {
	s := &Store{Now: time.Now, Collects: true, Kinds: kinds.NewRegistry(), collector: newCollector()}
	s.Kinds.Scheme = runtime.NewScheme()
	return s
}

// ErrClosed answers requests to a closed server.
var ErrClosed = errors.New("apitest: the server is closed")

// Close ends all watches and waits. Later requests fail with ErrClosed.
func (s *Store) Close() {
	s.Lock()
	defer s.Unlock()
	s.closed = true
	s.closing.Send()
	s.History.Wake()
}

// Closed reports whether the Store was closed. The caller holds the lock.
func (s *Store) Closed() bool { return s.closed }

// Closing returns a channel that Close closes. The caller calls leave when it waits no longer. The error is ErrClosed.
func (s *Store) Closing() (closing <-chan struct{}, leave func(), err error) {
	s.Lock()
	defer s.Unlock()
	if s.closed {
		return nil, nil, ErrClosed
	}
	closing = s.closing.Wait()
	return closing, func() { s.Leave(&s.closing, closing) }, nil
}

// Leave ends the wait for a signal.
func (s *Store) Leave(signal *history.Signal, channel <-chan struct{}) {
	s.Lock()
	defer s.Unlock()
	signal.Leave(channel)
}

func (s *Store) page(selected *selection.Selection, options *internalversion.ListOptions) (*Reply, error) {
	meta, items, err := selected.List(s.History, options)
	if err != nil {
		return nil, err
	}
	return &Reply{Code: http.StatusOK, List: &List{Meta: meta, Items: items}}, nil
}
