package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// List reads the body of a LIST response to its end and closes it. Several goroutines
// decode objects while the rest arrives. The objects are in the order of the body. When
// ctx ends, List closes the body, which must make a running Read return, and returns when
// all of its goroutines have ended.
//
// An error is a *SyntaxError, *KindError, *TooLargeError or *DecodeError, an
// apierrors.APIStatus for a Status instead of a list, or the error of the body's Read:
// io.ErrUnexpectedEOF for a body that was cut off.
func (d *Decoder) List(ctx context.Context, body io.ReadCloser) (Page, error) {
	until, release := closeWith(ctx, body)
	r := listReader{decoder: d, workers: newWorkers()}
	r.source = newSource(until, body, d.max, blockSize, r.flush)
	err := r.read()
	release()
	r.workers.wait()
	r.source.close()
	switch {
	case ctx.Err() != nil:
		return Page{}, context.Cause(ctx)
	case err != nil && err != errUndecodable:
		return Page{}, d.withoutText(err)
	}
	return r.page()
}

// closeWith closes body when ctx ends or release is called. release returns when body is
// closed. until ends at the same time, with the cause of ctx.
func closeWith(ctx context.Context, body io.Closer) (until context.Context, release func()) {
	until, cancel := context.WithCancel(ctx)
	closed := make(chan struct{})
	context.AfterFunc(until, func() {
		_ = body.Close() // no one can handle an error here
		close(closed)
	})
	return until, func() {
		cancel()
		<-closed
	}
}

// listReader reads one list.
type listReader struct {
	decoder *Decoder
	source  *source
	// codec decodes the items.
	codec codec
	meta  metav1.ListMeta
	// listed is set after a member items, which every list has.
	listed bool
	// failure has the members of a Status, and kind and apiVersion those of the body: a
	// server may send a Status instead of a list.
	failure          metav1.Status
	kind, apiVersion string
	// typeMeta is the beginning of an untyped item without a kind: servers leave the kind
	// out of items of built-in kinds. It is set before the first item is read. Its kind is
	// kindLater if the items come before the kind of the list.
	typeMeta  []byte
	kindLater bool // in that case
	// itemMeta is the kind of typed items without one, if the list has its kind before them.
	itemMeta *typeMeta
	// frames are parts of the source's block that no task has yet.
	frames [][]byte
	// dropped counts the items that Options.Keep has left out, and first is Page.First.
	dropped atomic.Int64
	first   string
	// tooLarge are the skipped items that were larger than the limit.
	tooLarge []*DecodeError
	tasks    []*task[Item]
	workers  workers
	// failed is set when an object cannot be decoded. The rest of the body is not needed
	// then.
	failed atomic.Bool
}

// errUndecodable ends the reading. The DecodeError is with the items.
var errUndecodable = errors.New("an object cannot be decoded")

// flush starts a task with the frames before the source leaves their block.
func (r *listReader) flush(leaving bool) error {
	if r.failed.Load() {
		return errUndecodable
	}
	if leaving && len(r.frames) > 0 {
		t := newTask[Item](r.source.block, r.frames)
		t.sparse = r.decoder.keep != nil
		r.frames = nil
		r.tasks = append(r.tasks, t)
		t.start(&r.workers, r.decode)
	}
	return nil
}

func (r *listReader) decode(items []Item, frame []byte) []Item {
	if _, out := r.decoder.leavesOut(r.codec, frame); out {
		r.dropped.Add(1)
		return items
	}
	hasNoKind := r.typeMeta != nil && plan.MemberAt(frame, "kind") < 0
	if hasNoKind {
		frame = slices.Concat(r.typeMeta, frame[1:])
	}
	i := r.decoder.object(r.codec, frame, howToDecode{mayBeHeld: true, meta: r.itemMeta, listed: true, kindLater: r.kindLater && hasNoKind})
	if i.Err != nil && !r.decoder.skips(i.Err) {
		r.failed.Store(true)
	}
	return append(items, i)
}

// read reads the list and the end of the body. HTTP reuses a connection only after the end
// was read.
func (r *listReader) read() error {
	s := r.source
	first, err := s.first()
	if err == io.EOF {
		return fmt.Errorf("the answer is empty: %w", io.ErrUnexpectedEOF)
	}
	if err == nil && first == protobuf.Magic[0] {
		return r.readProtobuf()
	}
	return r.readJSON()
}

// readJSON reads a list in JSON, whose members come in any order.
func (r *listReader) readJSON() error {
	s := r.source
	r.codec = r.decoder.json
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
	if err := r.check(); err != nil {
		return err
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

// check checks the body after all of its members were read.
func (r *listReader) check() error {
	switch {
	case r.kind == "Status":
		return statusError(r.failure)
	case !r.listed:
		return &SyntaxError{Near: fmt.Sprintf("an object of kind %q without items", shown(r.kind)), Want: "a list"}
	case r.meta.ResourceVersion == "":
		return &SyntaxError{Near: fmt.Sprintf("an object of kind %q without metadata.resourceVersion", shown(r.kind)), Want: "a list"}
	}
	return r.checkKind()
}

// checkKind returns an error for a list of another kind.
func (r *listReader) checkKind() error {
	if r.hasOwnName() {
		return nil
	}
	return r.decoder.checkTypeMeta(r.apiVersion, r.kind, "List")
}

// hasOwnName reports whether the kind of the list is none that follows from that of its items: a CustomResourceDefinition may name
// any as its listKind, and discovery does not tell which. The kinds of the items are checked, if they have one. The groups of
// Kubernetes that have no dot have no such kinds, and no custom resource is sent in protobuf.
func (r *listReader) hasOwnName() bool {
	d := r.decoder
	return d.want.Kind != "" && strings.Contains(d.want.Group, ".") && r.kind != "" && r.kind != d.want.Kind && r.apiVersion != "" && r.codec == d.json &&
		d.checkTypeMeta(r.apiVersion, "", "List") == nil && d.checkTypeMeta(r.apiVersion, r.kind, "List") != nil
}

// itemKind returns the kind of items without one, if that of the list tells it.
func (r *listReader) itemKind() (kind string, ok bool) {
	if r.hasOwnName() {
		return r.decoder.want.Kind, true
	}
	kind, isList := strings.CutSuffix(r.kind, "List")
	return kind, isList && kind != ""
}

// checkBefore is checkKind for a list whose kind may come after its items.
func (r *listReader) checkBefore() error {
	if r.kind == "" || r.apiVersion == "" {
		return nil
	}
	return r.checkKind()
}

func (r *listReader) readMember() error {
	s := r.source
	quoted, err := s.value()
	if err != nil {
		return err
	}
	if quoted[0] != '"' || !json.Valid(quoted) {
		return &SyntaxError{Near: shown(quoted), Want: "the name of a member"}
	}
	text, _ := plan.Text(quoted)
	name := string(text) // before the block is left
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
	return r.readIfFits(nil)
}

// readIfFits reads a member of a Status into target, unless it has another type. If target
// is nil, the member is unknown. In both cases it must be JSON.
func (r *listReader) readIfFits(target any) error {
	value, err := r.source.value()
	switch {
	case err != nil:
		return err
	case !json.Valid(value):
		return &SyntaxError{Near: shown(value)}
	case target != nil:
		_ = plan.Unmarshal(value, target)
	}
	return nil
}

func (r *listReader) readInto(name string, target any) error {
	value, err := r.source.value()
	if err != nil {
		return err
	}
	if err := plan.Unmarshal(value, target); err != nil {
		return &SyntaxError{Near: shown(value), Want: fmt.Sprintf("the %s of a list (%v)", name, short(err))}
	}
	return nil
}

// kindLater is the kind of an untyped item until the kind of its list is known. No API has
// a kind of that name.
const kindLater = "\x00"

func (r *listReader) setTypeMeta() {
	late := r.kind == "" || r.apiVersion == ""
	kind, isKnown := r.itemKind()
	meta := metav1.TypeMeta{Kind: kind, APIVersion: r.apiVersion}
	if !r.decoder.untyped {
		if isKnown && !late {
			r.itemMeta = &typeMeta{TypeMeta: meta}
		}
		return
	}
	if !late && !isKnown {
		return
	}
	if late {
		meta, r.kindLater = metav1.TypeMeta{Kind: kindLater}, true
	}
	text, _ := json.Marshal(meta) // strings can always be encoded
	r.typeMeta = append(text[:len(text)-1], ',')
}

// setKind sets the kind of an untyped item without one if the list had its kind after its items, and packs it.
func (r *listReader) setKind(item *Item) {
	if !r.decoder.untyped || item.Err != nil {
		return
	}
	obj, is := any(item.Object).(*unstructured.Unstructured)
	if !is || obj.GetKind() != kindLater { // a packed one has a kind
		return
	}
	kind, isKnown := r.itemKind()
	if !isKnown {
		*item = Item{Err: &DecodeError{
			Namespace: bounded(obj.GetNamespace()), Name: bounded(obj.GetName()), UID: bounded(obj.GetUID()), ResourceVersion: bounded(obj.GetResourceVersion()),
			Err: errNoKind, hiddenErr: errNoKind,
		}}
		return
	}
	obj.SetKind(kind)
	if r.apiVersion != "" {
		obj.SetAPIVersion(r.apiVersion)
	}
	item.Object = r.decoder.pack(r.codec, nil, item.Object, &howToDecode{listed: true})
}

var errNoKind = errors.New("neither the object nor its list has a kind")

func (r *listReader) readItems() error {
	s := r.source
	if r.listed {
		return &SyntaxError{Near: s.near(), Want: "one array of items, not two,"}
	}
	r.listed = true
	if err := r.checkBefore(); err != nil {
		return err // before all of its items are read
	}
	r.setTypeMeta()
	next, err := s.peek()
	if err != nil {
		return cut(err)
	}
	if next == 'n' {
		var none []Object
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
		if large, ok := err.(*TooLargeError); ok {
			if err := r.skip(frame, large); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		r.add(frame)
	}
}

// add adds the frame of an item.
func (r *listReader) add(frame []byte) {
	if r.decoder.keep != nil && r.first == "" {
		h := r.codec.ReadIdentity(frame)
		r.first = bounded(h.Namespace) + "/" + bounded(h.Name)
	}
	r.frames = append(r.frames, frame)
}

// skip leaves out an item that is too large, whose beginning is begin.
func (r *listReader) skip(begin []byte, large *TooLargeError) error {
	if _, out := r.decoder.leavesOutLarge(r.codec, begin); out {
		r.dropped.Add(1)
		return r.source.skipRest()
	}
	state, err := r.decoder.skipLarge(r.codec.ReadHead(begin), large)
	if err != nil {
		return err
	}
	r.tooLarge = append(r.tooLarge, state)
	return r.source.skipRest()
}

// page joins the results of the tasks. Objects that were too large come last.
func (r *listReader) page() (Page, error) {
	count := len(r.tooLarge)
	for _, t := range r.tasks {
		count += len(t.results)
	}
	page := Page{
		Items:           make([]Item, 0, count),
		ResourceVersion: r.meta.ResourceVersion,
		Continue:        r.meta.Continue,
		Shard:           safemeta.AppliedShard(&r.meta),
		Dropped:         int(r.dropped.Load()),
		First:           r.first,
	}
	for i, t := range r.tasks {
		for j := range t.results {
			item := &t.results[j]
			if r.kindLater && !item.Held {
				r.setKind(item)
			}
			if item.Err != nil && !r.decoder.skips(item.Err) {
				return Page{}, item.Err
			}
		}
		page.Items = append(page.Items, t.results...)
		r.tasks[i] = nil // so that the results are not in memory twice
	}
	for _, err := range r.tooLarge {
		page.Items = append(page.Items, Item{Err: err})
	}
	return page, nil
}
