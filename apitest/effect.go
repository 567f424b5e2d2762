package apitest

import (
	"context"
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

	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// effect is what a fault does with a request.
type effect func(s *Server, r *request) (*http.Response, error)

// errReset breaks a connection. Clients know it as the error of a server that goes down, and repeat a
// request that changes nothing.
var errReset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// apply does to a request what a fault does.
func (f *Fault) apply(s *Server, r *request) (*http.Response, error) {
	if f.match.delay > 0 {
		if err := s.wait(r.http.Context(), f.match.delay); err != nil {
			return nil, err
		}
	}
	return f.effect(s, r)
}

// wait waits for a time, or forever if it is zero. It ends with an error if the request or the server
// ends before that.
func (s *Server) wait(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	closing := s.closing.Wait()
	s.mu.Unlock()
	defer s.leave(&s.closing, closing)
	var passed <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		passed = timer.C
	}
	select {
	case <-passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closing:
		return errClosed
	}
}

// refusal adds a fault that answers with an error.
func (m Match) refusal(err func(r *request) error, format string, args ...any) *Fault {
	return m.add(func(s *Server, r *request) (*http.Response, error) {
		return s.fail(r, err(r))
	}, format, args...)
}

// fail answers with an error: that of a response if it has a Status, and of the connection if not. The
// Status that ends a watch is its first event, as it is for a version that has expired.
func (s *Server) fail(r *request, err error) (*http.Response, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil, err
	}
	err = &apierrors.StatusError{ErrStatus: status.Status()}
	if r.kind != nil && r.verb == "watch" && apierrors.IsResourceExpired(err) {
		return s.respond(r, s.failedWatch(r, err), nil), nil
	}
	if r.accept.MediaType == "" {
		r.accept.MediaType = media.JSON
	}
	return s.respond(r, nil, err), nil
}

// resource is that of a request in errors. A path has none.
func (r *request) resource() schema.GroupResource {
	if r.kind == nil {
		return schema.GroupResource{}
	}
	return r.kind.groupResource()
}

// Conflict answers 409, as to an update with a resourceVersion that is not the newest.
func (m Match) Conflict() *Fault {
	return m.refusal(func(r *request) error {
		return apierrors.NewConflict(r.resource(), m.server.objectName(r), errModified)
	}, "Conflict()")
}

// AlreadyExists answers 409, as to a create of an object that exists.
func (m Match) AlreadyExists() *Fault {
	return m.refusal(func(r *request) error {
		return apierrors.NewAlreadyExists(r.resource(), m.server.objectName(r))
	}, "AlreadyExists()")
}

// NotFound answers 404.
func (m Match) NotFound() *Fault {
	return m.refusal(func(r *request) error {
		return apierrors.NewNotFound(r.resource(), m.server.objectName(r))
	}, "NotFound()")
}

// Forbidden answers 403, as to a user without the right.
func (m Match) Forbidden() *Fault {
	return m.refusal(func(r *request) error {
		if r.kind == nil {
			return apierrors.NewForbidden(r.resource(), "", fmt.Errorf("%s cannot %s path %q", faultUser, m.verb, r.http.URL.Path))
		}
		resource := r.kind.Resource
		if r.subresource != "" {
			resource += "/" + r.subresource
		}
		scope := "at the cluster scope"
		if r.namespace != "" {
			scope = fmt.Sprintf("in the namespace %q", r.namespace)
		}
		return apierrors.NewForbidden(r.resource(), r.name, fmt.Errorf("%s cannot %s resource %q in API group %q %s", faultUser, r.verb, resource, r.kind.Group, scope))
	}, "Forbidden()")
}

// faultUser is the user whom Forbidden names.
const faultUser = `User "apitest"`

// Unauthorized answers 401, as to a token that has expired.
func (m Match) Unauthorized() *Fault {
	return m.refusal(func(*request) error { return apierrors.NewUnauthorized("Unauthorized") }, "Unauthorized()")
}

// Expired answers 410, as to a version or a continue token that is too old. A watch gets it as an
// ERROR event.
func (m Match) Expired() *Fault {
	return m.refusal(func(r *request) error {
		if r.kind != nil && r.verb == "watch" {
			return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %s (%d)", r.query.Get("resourceVersion"), m.server.version()))
		}
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}, "Expired()")
}

// TooManyRequests answers 429. A client of client-go waits for retryAfter, which is sent in seconds,
// and repeats the request up to ten times. Zero sends none, and then it does not.
func (m Match) TooManyRequests(retryAfter time.Duration) *Fault {
	return m.refusal(func(*request) error {
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", seconds(retryAfter))
	}, "TooManyRequests(%s)", retryAfter)
}

// Unavailable answers 503, with retryAfter as for TooManyRequests.
func (m Match) Unavailable(retryAfter time.Duration) *Fault {
	return m.refusal(func(*request) error {
		err := apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
		if retryAfter > 0 {
			err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds(retryAfter))}
		}
		return err
	}, "Unavailable(%s)", retryAfter)
}

// InternalError answers 500.
func (m Match) InternalError() *Fault {
	return m.refusal(func(*request) error {
		return apierrors.NewInternalError(fmt.Errorf("apitest: a fault on %s %s", m.verb, m.resource))
	}, "InternalError()")
}

// Timeout answers 504, as a server that has not come to the end in time. It does not do what the
// request asks for.
func (m Match) Timeout() *Fault {
	return m.refusal(func(*request) error {
		return apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	}, "Timeout()")
}

// Fail answers with an error of package [apierrors], or breaks the connection with any other error.
//
// [apierrors]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/errors
func (m Match) Fail(err error) *Fault {
	return m.refusal(func(*request) error { return err }, "Fail(%q)", err)
}

// Delay answers after a time.
func (m Match) Delay(d time.Duration) *Fault {
	m.delay = d
	return m.add((*Server).proceed, "Delay(%s)", d)
}

// Disconnect breaks the connection before the server has read the request.
func (m Match) Disconnect() *Fault {
	return m.refusal(func(*request) error { return errReset }, "Disconnect()")
}

// LoseResponse does what the request asks for, and breaks the connection before the client has the
// answer.
func (m Match) LoseResponse() *Fault {
	return m.add(func(s *Server, r *request) (*http.Response, error) {
		response, err := s.proceed(r)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(errReset, response.Body.Close())
	}, "LoseResponse()")
}

// Hang never answers. The client waits until its context ends, or the server is closed.
func (m Match) Hang() *Fault {
	return m.add(func(s *Server, r *request) (*http.Response, error) {
		return nil, s.wait(r.http.Context(), 0)
	}, "Hang()")
}

// Truncate breaks the connection after n bytes of the answer.
func (m Match) Truncate(n int64) *Fault {
	return m.add(func(s *Server, r *request) (*http.Response, error) {
		response, err := s.proceed(r)
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
	return m.add(func(s *Server, r *request) (*http.Response, error) {
		left := events
		r.cutAfter = &left
		return s.proceed(r)
	}, "CutAfter(%d)", events)
}

// objectName is the name in the URL of a request, or for a create that in the body.
func (s *Server) objectName(r *request) string {
	if r.verb != "create" || r.name != "" || r.kind == nil {
		return r.name
	}
	obj, err := r.object(s, metav1.FieldValidationIgnore)
	if err != nil {
		return ""
	}
	return obj.GetName()
}
