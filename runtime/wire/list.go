package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// List reads the body of a LIST response to its end and closes it. Objects are
// decoded by several goroutines while the rest is still on its way; they come out
// in the order of the body. When ctx ends, List closes the body, beside a Read, which
// has to end then, and returns as soon as no goroutine of it is left.
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
	// listed is set when there were items, which every list has.
	listed bool
	// failure is what the members of a Status would make, and kind what the body says
	// that it is: a Status may stand in the place of a list.
	failure          metav1.Status
	kind, apiVersion string
	// typeMeta is how an untyped item begins that does not say its kind: items of
	// built-in kinds do not. It is set before the first item is read.
	typeMeta []byte
	// frames are of the source's block, and of no task yet.
	frames  [][]byte
	tasks   []*task[item[T]]
	workers workers
	// failed is set when an object cannot be decoded, after which nothing that is
	// still to come matters.
	failed atomic.Bool
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
	if r.typeMeta != nil && memberAt(frame, 0, "kind") < 0 {
		frame = slices.Concat(r.typeMeta, frame[1:])
	}
	i := r.decoder.object(frame, true)
	if i.err != nil && !r.decoder.skips(i.err) {
		r.failed.Store(true)
	}
	return append(items, i)
}

// read reads the list's object, whose members come in any order, and the end of
// the body, without which the connection could not be used again.
func (r *listReader[T]) read() error {
	s := r.source
	if _, err := s.peek(); err == io.EOF {
		return fmt.Errorf("the answer is empty: %w", io.ErrUnexpectedEOF)
	}
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
	switch {
	case !r.listed && r.kind == "Status":
		return apierrors.FromObject(&r.failure)
	case !r.listed:
		return &SyntaxError{Near: fmt.Sprintf("an object of kind %q without items", r.kind), Want: "a list"}
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
		return r.readInto(name, &r.kind)
	case "apiVersion":
		return r.readInto(name, &r.apiVersion)
	case "status":
		return r.readIfFits(&r.failure.Status)
	case "message":
		return r.readIfFits(&r.failure.Message)
	case "reason":
		return r.readIfFits(&r.failure.Reason)
	case "details":
		return r.readIfFits(&r.failure.Details)
	case "code":
		return r.readIfFits(&r.failure.Code)
	}
	return s.skip()
}

// readIfFits reads a member that means something in a Status only.
func (r *listReader[T]) readIfFits(target any) error {
	value, err := r.source.value()
	if err == nil {
		_ = unmarshal(value, target)
	}
	return err
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
	if r.listed {
		return &SyntaxError{Near: s.near(), Want: "one array of items, not two,"}
	}
	r.listed = true
	if kind, isList := strings.CutSuffix(r.kind, "List"); isList && r.decoder.untyped {
		r.typeMeta = fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,`, r.apiVersion, kind)
	}
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
	if r.decoder.cached != nil {
		page.ContentHashes = make([]uint64, 0, count)
	}
	for _, t := range r.tasks {
		for _, item := range t.results {
			switch {
			case item.err == nil:
				if item.held && page.Held == nil {
					page.Held = make([]bool, len(page.Items), count)
				}
				page.Items = append(page.Items, item.obj)
				if page.Held != nil {
					page.Held = append(page.Held, item.held)
				}
				if page.ContentHashes != nil {
					page.ContentHashes = append(page.ContentHashes, item.contentHash)
				}
			case r.decoder.skips(item.err):
				page.Undecodable = append(page.Undecodable, item.err)
			default:
				return Page[T]{}, item.err
			}
		}
	}
	return page, nil
}
