package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// List reads the body of a LIST response to its end and closes it. Objects are
// decoded by several goroutines while the rest is still on its way; they come out
// in the order of the body. When ctx ends, List closes the body, and returns as soon
// as no goroutine of it is left.
//
// An error is a *SyntaxError, *TooLargeError or *DecodeError, an
// apierrors.APIStatus for a Status in the place of the list, or what the body's Read
// returned: io.ErrUnexpectedEOF for a body that was cut off.
func (d *Decoder[T]) List(ctx context.Context, body io.ReadCloser) (Page[T], error) {
	release := closeWith(ctx, body)
	r := listReader[T]{decoder: d, workers: newWorkers()}
	r.source = newSource(body, d.max, r.flush)
	err := r.read()
	release()
	r.workers.wait()
	r.source.close()
	switch {
	case ctx.Err() != nil:
		return Page[T]{}, context.Cause(ctx)
	case err != nil && err != errUndecodable:
		return Page[T]{}, err
	}
	return r.page()
}

// closeWith closes body when ctx ends or release is called, which returns when
// body is closed.
func closeWith(ctx context.Context, body io.Closer) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		_ = body.Close() // there is nobody who could do anything about it
		close(closed)
	})
	return func() {
		cancel()
		<-closed
	}
}

// listReader reads one list.
type listReader[T Object] struct {
	decoder *Decoder[T]
	source  *source
	meta    metav1.ListMeta
	// failure is the Status that stands in the place of the list.
	failure *metav1.Status
	// frames are of the source's block, and of no task yet.
	frames  [][]byte
	tasks   []*task[item[T]]
	workers workers
	// failed is set when an object cannot be decoded, after which nothing that is
	// still to come matters.
	failed atomic.Bool
}

// item is what one frame of a list becomes.
type item[T Object] struct {
	obj T
	err *DecodeError
}

// errUndecodable ends the reading. The DecodeError is with the items.
var errUndecodable = errors.New("an object cannot be decoded")

// flush hands the frames over before their block is left.
func (r *listReader[T]) flush(leaving bool) error {
	if r.failed.Load() {
		return errUndecodable
	}
	if leaving && len(r.frames) > 0 {
		t := newTask[item[T]](r.source.block, r.frames)
		r.frames = nil
		r.tasks = append(r.tasks, t)
		t.start(&r.workers, r.decode)
	}
	return nil
}

func (r *listReader[T]) decode(items []item[T], frame []byte) []item[T] {
	obj, err := r.decoder.object(frame)
	if err != nil && !r.decoder.skip {
		r.failed.Store(true)
	}
	return append(items, item[T]{obj, err})
}

// read reads the list's object, whose members come in any order, and the end of
// the body, without which the connection could not be used again.
func (r *listReader[T]) read() error {
	s := r.source
	if err := s.expect('{', "a list"); err != nil {
		return err
	}
	for first := true; ; first = false {
		next, err := s.peek()
		if err != nil {
			return cut(err)
		}
		if next == '}' {
			s.at++
			break
		}
		if !first {
			if err := s.expect(',', "a comma"); err != nil {
				return err
			}
		}
		if err := r.readMember(); err != nil {
			return err
		}
	}
	if err := r.flush(true); err != nil {
		return err
	}
	if r.failure != nil {
		return apierrors.FromObject(r.failure)
	}
	switch _, err := s.peek(); err {
	case io.EOF:
		return nil
	case nil:
		return &SyntaxError{Near: s.near(), Want: "the end of the list"}
	default:
		return err
	}
}

func (r *listReader[T]) readMember() error {
	s := r.source
	if _, err := s.peek(); err != nil {
		return cut(err)
	}
	quoted, err := s.value()
	if err != nil {
		return err
	}
	if quoted[0] != '"' {
		return &SyntaxError{Near: shown(quoted), Want: "the name of a member"}
	}
	name := unquote(quoted) // before the block is left
	if err := s.expect(':', "a colon"); err != nil {
		return err
	}
	switch name {
	case "items":
		return r.readItems()
	case "metadata":
		return r.readInto(name, &r.meta)
	case "kind":
		var kind string
		err := r.readInto(name, &kind)
		if kind == "Status" && r.failure == nil {
			r.failure = &metav1.Status{}
		}
		return err
	}
	if r.failure != nil {
		switch name {
		case "status":
			return r.readInto(name, &r.failure.Status)
		case "message":
			return r.readInto(name, &r.failure.Message)
		case "reason":
			return r.readInto(name, &r.failure.Reason)
		case "details":
			return r.readInto(name, &r.failure.Details)
		case "code":
			return r.readInto(name, &r.failure.Code)
		}
	}
	return s.skip()
}

func (r *listReader[T]) readInto(name string, target any) error {
	value, err := r.source.value()
	if err != nil {
		return err
	}
	if err := unmarshal(value, target); err != nil {
		return &SyntaxError{Near: shown(value), Want: fmt.Sprintf("the %s of a list (%v)", name, err)}
	}
	return nil
}

func (r *listReader[T]) readItems() error {
	s := r.source
	next, err := s.peek()
	if err != nil {
		return cut(err)
	}
	if next == 'n' {
		var none []T
		return r.readInto("items", &none)
	}
	if err := s.expect('[', "an array of items"); err != nil {
		return err
	}
	for first := true; ; first = false {
		next, err := s.peek()
		switch {
		case err != nil:
			return cut(err)
		case next == ']':
			s.at++
			return nil
		case !first:
			if err := s.expect(',', "a comma"); err != nil {
				return err
			}
			if next, err = s.peek(); err != nil {
				return cut(err)
			}
		}
		if next != '{' {
			return &SyntaxError{Near: s.near(), Want: "an object"}
		}
		frame, err := s.value()
		if err != nil {
			return err
		}
		r.frames = append(r.frames, frame)
	}
}

// page puts together what the tasks have decoded.
func (r *listReader[T]) page() (Page[T], error) {
	count := 0
	for _, t := range r.tasks {
		count += len(t.results)
	}
	page := Page[T]{
		Items:           make([]T, 0, count),
		ResourceVersion: r.meta.ResourceVersion,
		Continue:        r.meta.Continue,
	}
	for _, t := range r.tasks {
		for _, item := range t.results {
			switch {
			case item.err == nil:
				page.Items = append(page.Items, item.obj)
			case r.decoder.skip:
				page.Undecodable = append(page.Undecodable, item.err)
			default:
				return Page[T]{}, item.err
			}
		}
	}
	return page, nil
}
