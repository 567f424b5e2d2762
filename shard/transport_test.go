package shard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// noClient is a client whose Leases are never used.
type noClient struct{}

func (noClient) Leases(string) coordinationv1client.LeaseInterface { return nil }

// sender is a RoundTripper that calls a function before it reads the body.
type sender struct {
	before func()
	sent   []string
}

func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.before != nil {
		s.before()
	}
	text := r.Method
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		text += " " + string(body)
	}
	s.sent = append(s.sent, text)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// TestTransport sends requests of work that is valid, and of work that was lost.
func TestTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p, obj := one(t, options("pod-a"))
		working, done, ok := p.Begin(t.Context(), obj)
		if !ok {
			t.Fatal("pod-a may not work")
		}
		defer done()
		to := &sender{}
		transport := p.Transport(to)
		send := func(ctx context.Context, method, body string) error {
			request, err := http.NewRequestWithContext(ctx, method, "http://server/", bytes.NewReader([]byte(body)))
			if err != nil {
				t.Fatal(err)
			}
			if body == "" {
				request.Body = nil
			}
			_, err = transport.RoundTrip(request)
			return err
		}
		lost := func(err error) bool { return errors.As(err, new(*LostError)) }
		if err := send(working, http.MethodPut, "valid"); err != nil {
			t.Errorf("a write of valid work: %v", err)
		}

		// The member loses the object after the first check, and before the body is read.
		inner, innerDone, ok := p.Begin(working, obj)
		if !ok {
			t.Fatal("pod-a may not work")
		}
		defer innerDone()
		to.before = func() {
			p.line.cut.Store(true)
			time.Sleep(14 * time.Second)
		}
		if err := send(inner, http.MethodPost, "late"); !lost(err) {
			t.Errorf("a write that was lost while it was sent: %v", err)
		}
		to.before = nil
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if err := send(working, method, "lost"); !lost(err) {
				t.Errorf("a %s of work that is lost: %v", method, err)
			}
			if err := send(working, method, ""); !lost(err) {
				t.Errorf("a %s without body of work that is lost: %v", method, err)
			}
		}
		if err := send(working, http.MethodGet, ""); err != nil {
			t.Errorf("a read: %v", err)
		}
		if err := send(t.Context(), http.MethodPost, "other"); err != nil {
			t.Errorf("a write without work: %v", err)
		}
		if got := strings.Join(to.sent, ", "); got != "PUT valid, GET, POST other" {
			t.Errorf("sent: %s", got)
		}

		// The object is this member's again, but the work is that of before.
		p.line.cut.Store(false)
		innerDone()
		done()
		time.Sleep(30 * time.Second)
		again, done, ok := p.Begin(working, obj)
		if !ok {
			t.Fatal("pod-a does not get the object back")
		}
		defer done()
		if err := send(again, http.MethodPut, "within lost work"); !lost(err) {
			t.Errorf("a write of work that is a part of work that is lost: %v", err)
		}

		// The work has ended, so another member may have the object at any time.
		ended, endedDone, ok := p.Begin(t.Context(), obj)
		if !ok {
			t.Fatal("pod-a may not work")
		}
		if err := send(context.WithoutCancel(ended), http.MethodPut, "before done"); err != nil {
			t.Errorf("a write of work that cannot be canceled: %v", err)
		}
		endedDone()
		endedDone() // has no effect
		if err := send(context.WithoutCancel(ended), http.MethodPut, "after done"); !lost(err) {
			t.Errorf("a write after done: %v", err)
		}
	})
}
