package writes

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Observer tells informers of the writes that pass its transports. The zero value is ready for
// use. It must not be copied. All methods may be called from any goroutine.
type Observer struct {
	attached atomic.Bool

	mu sync.RWMutex // guards servers and their content
	// servers are few: one for each cluster that the program writes to.
	servers []*server
}

// Informer hears of writes.
type Informer interface {
	// Wrote is called in the goroutine of a writer, before the writer has the response, so it
	// should return soon. It may be called by several goroutines at once, and it may call the
	// Observer. A panic of Wrote reaches the writer.
	Wrote(write Write)
}

// Write is the content of the response to a successful write of one object. Several informers
// share it, so they must not change the values that it refers to, but they may keep it.
type Write struct {
	// Object has the TypeMeta and the metadata of the response. The TypeMeta is that of another
	// kind for some subresources, such as scale, and for a client that asks for
	// PartialObjectMetadata. If the response is a Status, only Name, Namespace and UID are set.
	Object metav1.PartialObjectMetadata
	// Sent is when the request was sent. The server has executed the write after it.
	Sent time.Time
	// Subresource is the subresource of the request, such as "status". It is empty for the object itself.
	Subresource string
	// Gone is set if the object with this UID does not exist any more. It has no finalizers, and
	//
	//   - it was deleted, and the response is a Status with its UID, or an object without a
	//     deletionTimestamp, as is the case for a Service;
	//   - or the response has a deletionTimestamp and a deletionGracePeriodSeconds of 0: a Pod
	//     without a grace period was deleted, or the last finalizer of a deleted object was
	//     removed.
	//
	// If the object may be gone, but the response does not prove it, nothing is reported. This is the
	// case for the code 202, for a deletionTimestamp without a deletionGracePeriodSeconds, and for
	// a Namespace with a deletionTimestamp, whose spec has finalizers too.
	//
	// The resourceVersion of what is gone is that of its last state, or that of the deletion. It is
	// empty for a Status, and for an update that removed the object. Its content may be one that was never stored. Another object of the same name may
	// exist already.
	Gone bool
	// Body is the body of the response if it is an object: JSON, or protobuf that starts with
	// "k8s\x00". It is nil for a Status.
	Body []byte
}

// server is an API server with subscriptions.
type server struct {
	origin string // see originOf
	// prefix is the part of the path before /api and /apis, usually empty.
	prefix string
	// informers has no empty slices. The elements of a slice never change, because they are read
	// without the lock.
	informers map[schema.GroupVersionResource][]*subscription
	// guards have slices of which the elements never change, either.
	guards map[schema.GroupResource][]*guard
}

type subscription struct{ informer Informer }

// Attached reports whether Transport was called, that is, whether a client can be observed.
func (o *Observer) Attached() bool { return o.attached.Load() }

// Transport returns a transport that sends requests through next, and tells the informers that
// are subscribed of the writes among them. It is for the method Wrap of a rest.Config:
//
//	config.Wrap(own.Transport)
//
// If next is nil, it is http.DefaultTransport. A program may have any number of transports of one
// Observer, also for several servers. An informer hears twice of a write that passes two of them.
func (o *Observer) Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	o.attached.Store(true)
	return &transport{observer: o, next: next}
}

// Subscribe tells informer of each write to resource on a server, until cancel is called. Several
// informers may subscribe to one resource. An informer that subscribes twice hears twice of each
// write.
//
// server is the URL of the API server without /api and /apis, such as
// https://10.0.0.1:6443/prefix. Its path is not escaped. The case of its host does not matter, and
// the default port may be left out.
//
// A write is reported to the informers that are subscribed when its response arrives. cancel does not
// wait for calls of Wrote: a call that has begun may still run, and one may even begin late, if
// the response arrived before. cancel may be called several times, and from Wrote.
func (o *Observer) Subscribe(server string, resource schema.GroupVersionResource, informer Informer) (cancel func()) {
	added := &subscription{informer: informer}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.serverOf(server)
	at.informers[resource] = append(at.informers[resource], added)
	return func() { o.remove(at, resource, added) }
}

// serverOf returns the server with a URL, and adds it first if there is none. mu is held.
func (o *Observer) serverOf(base string) *server {
	scheme, rest, _ := strings.Cut(base, "://")
	host, path, _ := strings.Cut(rest, "/")
	origin, prefix := originOf(scheme, host), strings.TrimRight("/"+path, "/")
	for _, known := range o.servers {
		if known.origin == origin && known.prefix == prefix {
			return known
		}
	}
	added := &server{origin: origin, prefix: prefix, informers: map[schema.GroupVersionResource][]*subscription{}, guards: map[schema.GroupResource][]*guard{}}
	o.servers = append(o.servers, added)
	return added
}

// remove ends a subscription. It does nothing if the subscription has ended already.
func (o *Observer) remove(at *server, resource schema.GroupVersionResource, ended *subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(at.informers[resource]), func(s *subscription) bool { return s == ended })
	if len(left) > 0 {
		at.informers[resource] = left
		return
	}
	delete(at.informers, resource)
	if len(at.informers) == 0 && len(at.guards) == 0 {
		o.servers = slices.DeleteFunc(o.servers, func(s *server) bool { return s == at })
	}
}

// subscribers are the subscriptions to one target of a request.
type subscribers struct {
	target
	subscriptions []*subscription
}

// subscribersOf returns the subscriptions to the target of a URL.
func (o *Observer) subscribersOf(u *url.URL) (all []subscribers) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	o.targets(u, func(s *server, t target) {
		if found := s.informers[t.resource]; len(found) > 0 {
			all = append(all, subscribers{t, found})
		}
	})
	return all
}

// targets calls visit for each server that may have the target of a URL. There is more than one only if the URL of a server is the
// beginning of that of another one, such as https://host and https://host/apis/example.com/v1. mu is held.
func (o *Observer) targets(u *url.URL, visit func(s *server, t target)) {
	if len(o.servers) == 0 || u.Opaque != "" {
		return
	}
	origin := originOf(u.Scheme, u.Host)
	for _, s := range o.servers {
		if s.origin != origin {
			continue
		}
		path, ok := strings.CutPrefix(u.Path, s.prefix)
		if !ok {
			continue
		}
		if found, ok := parseTarget(path); ok {
			visit(s, found)
		}
	}
}

// originOf returns the scheme and the host of a URL in one spelling: in lower case and without
// the default port.
func originOf(scheme, host string) string {
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + strings.TrimSuffix(host, ":")
}
