package apitest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// errReset breaks a connection. Clients know it as the error of a server that goes down, and repeat a
// request that changes nothing.
var errReset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// apply applies the effect of a fault to a request.
func (f *Fault) apply(h *serve.Handler, r *serve.Request) (*http.Response, error) {
	if f.match.delay > 0 {
		if err := h.Wait(r.HTTP.Context(), f.match.delay); err != nil {
			return nil, err
		}
	}
	return f.effect(h, r)
}

// refusal adds a fault that answers with an error.
func (m Match) refusal(err func(r *serve.Request) error, format string, args ...any) *Fault {
	return m.begin(func(h *serve.Handler, r *serve.Request) (*http.Response, error) {
		return h.Fail(r, err(r))
	}, format, args...)
}

// resourceOf returns that of a request in errors. A path has none.
func resourceOf(r *serve.Request) schema.GroupResource {
	if r.Kind == nil {
		return schema.GroupResource{}
	}
	return r.Kind.GroupResource()
}

// Conflict answers 409, as to an update with a resourceVersion that is not the newest.
func (m Match) Conflict() *Fault {
	return m.refusal(func(r *serve.Request) error {
		return apierrors.NewConflict(resourceOf(r), r.ObjectName(), rest.ErrModified)
	}, "Conflict()")
}

// AlreadyExists answers 409, as to a create of an object that exists.
func (m Match) AlreadyExists() *Fault {
	return m.refusal(func(r *serve.Request) error {
		return apierrors.NewAlreadyExists(resourceOf(r), r.ObjectName())
	}, "AlreadyExists()")
}

// NotFound answers 404.
func (m Match) NotFound() *Fault {
	return m.refusal(func(r *serve.Request) error {
		return apierrors.NewNotFound(resourceOf(r), r.ObjectName())
	}, "NotFound()")
}

// Forbidden answers 403, as to a user without the right.
func (m Match) Forbidden() *Fault {
	return m.refusal(func(r *serve.Request) error {
		if r.Kind == nil {
			return apierrors.NewForbidden(resourceOf(r), "", fmt.Errorf("%s cannot %s path %q", faultUser, m.selector.Verb, r.HTTP.URL.Path))
		}
		resource := r.Kind.Resource
		if r.Subresource != "" {
			resource += "/" + r.Subresource
		}
		scope := "at the cluster scope"
		if r.Namespace != "" {
			scope = fmt.Sprintf("in the namespace %q", r.Namespace)
		}
		return apierrors.NewForbidden(resourceOf(r), r.Name, fmt.Errorf("%s cannot %s resource %q in API group %q %s", faultUser, r.Verb, resource, r.Kind.Group, scope))
	}, "Forbidden()")
}

// faultUser is the user in the text of Forbidden.
const faultUser = `User "apitest"`

// Unauthorized answers 401, as to a token that has expired.
func (m Match) Unauthorized() *Fault {
	return m.refusal(func(*serve.Request) error { return apierrors.NewUnauthorized("Unauthorized") }, "Unauthorized()")
}

// Expired answers 410, as to a version or a continue token that is too old. A watch gets it as an
// ERROR event.
func (m Match) Expired() *Fault {
	return m.refusal(func(r *serve.Request) error {
		if r.Kind != nil && r.Verb == "watch" {
			return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %s (%d)", r.Query.Get("resourceVersion"), m.faults.handler.Version()))
		}
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}, "Expired()")
}

// TooManyRequests answers 429. A client of client-go waits for retryAfter, which is sent in seconds,
// and repeats the request up to ten times. Zero sends none, and then it does not.
func (m Match) TooManyRequests(retryAfter time.Duration) *Fault {
	return m.refusal(func(*serve.Request) error {
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", seconds(retryAfter))
	}, "TooManyRequests(%s)", retryAfter)
}

// Unavailable answers 503, with retryAfter as for TooManyRequests.
func (m Match) Unavailable(retryAfter time.Duration) *Fault {
	return m.refusal(func(*serve.Request) error {
		err := apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
		if retryAfter > 0 {
			err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds(retryAfter))}
		}
		return err
	}, "Unavailable(%s)", retryAfter)
}

// InternalError answers 500.
func (m Match) InternalError() *Fault {
	return m.refusal(func(*serve.Request) error {
		return apierrors.NewInternalError(fmt.Errorf("apitest: a fault on %s %s", m.selector.Verb, m.selector.Resource))
	}, "InternalError()")
}

// Timeout answers 504, as a server that has not come to the end in time. It does not do what the
// request asks for.
func (m Match) Timeout() *Fault {
	return m.refusal(func(*serve.Request) error {
		return apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	}, "Timeout()")
}

// Fail answers with an error of package [apierrors], or breaks the connection with any other error.
//
// [apierrors]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/errors
func (m Match) Fail(err error) *Fault {
	return m.refusal(func(*serve.Request) error { return err }, "Fail(%q)", err)
}

// Delay answers after a time.
func (m Match) Delay(d time.Duration) *Fault {
	m.delay = d
	return m.begin((*serve.Handler).Proceed, "Delay(%s)", d)
}

// Disconnect breaks the connection before the server has read the request.
func (m Match) Disconnect() *Fault {
	return m.refusal(func(*serve.Request) error { return errReset }, "Disconnect()")
}

// LoseResponse executes the request, and breaks the connection before the client has the
// answer.
func (m Match) LoseResponse() *Fault {
	return m.begin(func(h *serve.Handler, r *serve.Request) (*http.Response, error) {
		response, err := h.Proceed(r)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(errReset, response.Body.Close())
	}, "LoseResponse()")
}

// Hang never answers. The client waits until its context ends, or the server is closed.
func (m Match) Hang() *Fault {
	return m.begin(func(h *serve.Handler, r *serve.Request) (*http.Response, error) {
		return nil, h.Wait(r.HTTP.Context(), 0)
	}, "Hang()")
}

// Truncate breaks the connection after n bytes of the answer.
func (m Match) Truncate(n int64) *Fault {
	return m.begin(func(h *serve.Handler, r *serve.Request) (*http.Response, error) {
		response, err := h.Proceed(r)
		if err != nil {
			return nil, err
		}
		response.Body = &truncated{ReadCloser: response.Body, left: n}
		return response, nil
	}, "Truncate(%d)", n)
}

// truncated is a body that breaks off.
type truncated struct {
	io.ReadCloser
	left int64
}

func (t *truncated) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := t.ReadCloser.Read(p[:min(int64(len(p)), t.left)])
	t.left -= int64(n)
	return n, err
}

// CutAfter breaks the connection of a watch after a number of events, of which bookmarks are some. It
// is for watches only.
func (m Match) CutAfter(events int) *Fault {
	m.watches = true
	return m.begin(func(h *serve.Handler, r *serve.Request) (*http.Response, error) {
		left := events
		r.CutAfter = &left
		return h.Proceed(r)
	}, "CutAfter(%d)", events)
}

// seconds rounds a duration up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
