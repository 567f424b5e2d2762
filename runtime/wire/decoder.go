package wire

import (
	"errors"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

const (
	// DefaultMaxObjectBytes is how large an object may be if nobody says otherwise.
	DefaultMaxObjectBytes = 64 << 20
	// EtcdRequestBytes is how many bytes etcd takes in one request by default. The API
	// server stores custom resources as JSON, so a lower MaxObjectBytes refuses objects
	// that the server has accepted.
	EtcdRequestBytes = 3 << 19
)

// Options say how objects are decoded.
type Options struct {
	// WithoutManagedFields leaves metadata.managedFields out: they are skipped, and
	// nothing is allocated for them.
	WithoutManagedFields bool
	// WithoutAnnotations are the keys of annotations to leave out in the same way.
	WithoutAnnotations []string
	// SkipUndecodable delivers the name of an object that cannot be decoded, or that is
	// above MaxObjectBytes, and the reason, instead of failing the list or watch. One whose
	// name cannot be read fails it nevertheless.
	SkipUndecodable bool
	// WithoutObjectTextInErrors leaves text of objects out of errors: DecodeError.Near,
	// the values and keys of maps in DecodeError.Path and Err, TooLargeError.Begin and
	// SyntaxError.Near. What stays is the names, UIDs and versions of objects, their
	// kinds, the names of fields of Go types, and indexes. It is always set for the kind
	// Secret of the core group: if Kind says so, or if T is the one of k8s.io/api.
	WithoutObjectTextInErrors bool
	// MaxObjectBytes limits how many bytes of JSON an object, or the event that it
	// comes in, may have; 0 for DefaultMaxObjectBytes. A larger one fails the list or
	// watch before it is held in memory as a whole, or is skipped, with SkipUndecodable:
	// then the rest of it is read and forgotten. Its name has to be within the limit, and
	// the rest of its metadata too, unless namespace, name, uid and resourceVersion come
	// first.
	//
	// etcd takes requests of up to EtcdRequestBytes by default. As JSON an object that is
	// stored in another form may be six times as large, 9 MiB: the API server writes <, >
	// and & as six bytes each.
	MaxObjectBytes int
	// Kind is the kind of the objects on the wire, with its group. A list, or an object
	// of a list or watch, that says that it is of another one fails the list or watch
	// with a *KindError, also with SkipUndecodable. What does not say its kind or group
	// is accepted, and so is everything if Kind.Kind is empty.
	Kind schema.GroupKind
}

// Decoder makes objects of the kind T of the bodies of LIST and WATCH responses. It
// may be used from several goroutines.
type Decoder[T Object] struct {
	skip   bool
	hide   bool // text of objects in errors
	max    int
	cached Cached[T]
	// want is Options.Kind.
	want schema.GroupKind
	plan *plan.Plan
	// untyped is set if each object has to have a kind.
	untyped bool
	// byValue is set after a line has ended in the middle of an event. Then brackets, and
	// not lines, tell where an event ends.
	byValue atomic.Bool
}

// NewDecoder returns a Decoder. cached, which may be nil, saves decoding objects that
// the caller has.
func NewDecoder[T Object](options Options, cached Cached[T]) *Decoder[T] {
	kind := reflect.TypeFor[T]().Elem()
	d := &Decoder[T]{
		skip:    options.SkipUndecodable,
		hide:    options.WithoutObjectTextInErrors || options.Kind == schema.GroupKind{Kind: "Secret"} || kind.PkgPath() == "k8s.io/api/core/v1" && kind.Name() == "Secret",
		max:     options.MaxObjectBytes,
		cached:  cached,
		want:    options.Kind,
		plan:    planFor[T](&options),
		untyped: kind == reflect.TypeFor[unstructured.Unstructured](),
	}
	if d.max <= 0 {
		d.max = DefaultMaxObjectBytes
	}
	return d
}

// planFor returns how objects of kind T are decoded.
func planFor[T Object](options *Options) *plan.Plan {
	return plan.For(reflect.TypeFor[T]().Elem(), plan.Omit(options.WithoutManagedFields, options.WithoutAnnotations))
}

// Trimmer returns a function that removes from an object what options leave out, or nil if
// they leave out nothing. It is for objects that a client, and not a Decoder, has decoded.
// The function writes to the object, so the caller has to own it. It may be called from
// several goroutines.
func Trimmer[T Object](options *Options) func(obj T) {
	if !options.WithoutManagedFields && len(options.WithoutAnnotations) == 0 {
		return nil
	}
	p := planFor[T](options)
	return func(obj T) { p.Trim(obj) }
}

// Decode returns the object of its JSON text, of which it keeps nothing. The error is a
// *DecodeError.
func (d *Decoder[T]) Decode(text []byte) (T, error) {
	obj, err := d.decode(text, false)
	if err != nil {
		return obj, err // not nil as an error
	}
	return obj, nil
}

// howToDecode is what is known of an object before it is decoded.
type howToDecode struct {
	// mayBeHeld is set if the cache may have it.
	mayBeHeld bool
	// gaveUp is set if the plan has given up on it. To try it again would cost a part of
	// what the library costs.
	gaveUp bool
}

// object makes the object of a frame, or takes it from the cache. It has to have a name:
// an object without one is none that an API server has.
func (d *Decoder[T]) object(frame []byte, how howToDecode) (i Item[T]) {
	i.ContentHash = d.contentHash(frame)
	if how.mayBeHeld {
		if i.Object, i.Held = d.held(frame, i.ContentHash); i.Held {
			return i
		}
	}
	if i.Object, i.Err = d.named(frame, how.gaveUp); i.Err != nil {
		return Item[T]{Err: i.Err}
	}
	return i
}

// named is decode of an object that has a name.
func (d *Decoder[T]) named(frame []byte, gaveUp bool) (T, *DecodeError) {
	obj, err := d.decode(frame, gaveUp)
	if err == nil {
		if wrong := d.check(obj); wrong != nil {
			return obj, describe(frame, wrong)
		}
	}
	return obj, err
}

// check returns an error for an object without a name, or of another kind.
func (d *Decoder[T]) check(obj T) error {
	name, err := safemeta.NameOf(obj)
	switch {
	case err != nil:
		return safemeta.ErrNone // without the text of the panic, which may have text of the object
	case name == "":
		return errNoName
	}
	return d.checkKind(obj)
}

// checkKind returns an error for an object that says that it is of another kind.
func (d *Decoder[T]) checkKind(obj T) error {
	if d.want.Kind == "" {
		return nil
	}
	gvk := safemeta.KindOf(obj)
	if gvk.Kind == d.want.Kind && gvk.Group == d.want.Group || gvk.Kind == kindLater {
		return nil
	}
	return checkKind(gvk.GroupVersion().String(), gvk.Kind, d.want)
}

var errNoName = errors.New("it has no metadata.name")

// skips reports whether an object that cannot be decoded is to be left out. One of
// another kind is not: whoever answers with it may answer with nothing else.
func (d *Decoder[T]) skips(err *DecodeError) bool {
	return d.skip && err.Name != "" && !errors.As(err.Err, new(*KindError))
}

// skipLarge returns the error of an object that is to be left out because it is too large,
// of which only the beginning is there. If it cannot be left out, that is what err says:
// its name cannot be read for sure, it is of another kind, or none is to be left out.
func (d *Decoder[T]) skipLarge(begin []byte, large *TooLargeError) (state *DecodeError, err error) {
	if !d.skip {
		return nil, large
	}
	h := plan.ReadHead(begin)
	if err := checkKind(string(h.APIVersion), string(h.Kind), d.want); err != nil {
		return nil, err
	}
	if !h.IsWhole && (h.Namespace == nil || h.Name == nil || h.UID == nil || h.ResourceVersion == nil) {
		return nil, large
	}
	why := &TooLargeError{Limit: d.max, Namespace: bounded(h.Namespace), Name: bounded(h.Name)}
	if why.Name == "" {
		return nil, large
	}
	if !d.hide {
		why.Begin = shown(begin)
	}
	return errorOf(h, why), nil
}

// withoutText returns err without text of objects, if that is to be left out.
func (d *Decoder[T]) withoutText(err error) error {
	if !d.hide {
		return err
	}
	switch err := err.(type) {
	case *SyntaxError:
		return err.withoutText()
	case *TooLargeError:
		return &TooLargeError{Limit: err.Limit, Namespace: err.Namespace, Name: err.Name}
	}
	return err
}

// held returns the object that the cache has in the state of the frame, whose hash is
// contentHash. It reads no more of the frame than the metadata.
func (d *Decoder[T]) held(frame []byte, contentHash uint64) (obj T, ok bool) {
	if d.cached == nil {
		return obj, false
	}
	h := plan.ReadVersion(frame)
	if len(h.Name) == 0 || len(h.ResourceVersion) == 0 {
		return obj, false
	}
	return d.cached(h.Namespace, h.Name, h.ResourceVersion, contentHash)
}

// contentHash returns the hash of the text of an object, or 0 if there is no cache.
func (d *Decoder[T]) contentHash(frame []byte) uint64 {
	if d.cached == nil {
		return 0
	}
	return plan.ContentHash(frame)
}

// decode returns the object of a frame. It uses the plan or, if that gives up or gaveUp is
// set, apimachinery's serializer, whose error it returns.
func (d *Decoder[T]) decode(frame []byte, gaveUp bool) (T, *DecodeError) {
	if !gaveUp {
		if obj, ok := d.decodeFast(frame); ok {
			return obj, nil
		}
	}
	obj, err := d.plan.Unmarshal(frame)
	if err != nil {
		var none T
		return none, diagnose(frame, d.plan.Fault(frame, err), d.hide)
	}
	return obj.(T), nil
}

// decodeFast returns the object of a frame. It reports false if the plan gave up.
func (d *Decoder[T]) decodeFast(frame []byte) (obj T, ok bool) {
	decoded, ok := d.plan.Decode(frame)
	if !ok {
		return obj, false
	}
	return decoded.(T), true
}
