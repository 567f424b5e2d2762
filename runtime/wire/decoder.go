package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// DefaultMaxObjectBytes is how large an object may be if nobody says otherwise.
const DefaultMaxObjectBytes = 64 << 20

// Options say how objects are decoded.
type Options struct {
	// WithoutManagedFields leaves metadata.managedFields out: they are skipped, and
	// nothing is allocated for them.
	WithoutManagedFields bool
	// WithoutAnnotations are the keys of annotations to leave out in the same way.
	WithoutAnnotations []string
	// SkipUndecodable delivers the name of an object that cannot be decoded, and the
	// reason, instead of failing the list or watch. One whose name cannot be read, or that
	// is above MaxObjectBytes, fails it nevertheless.
	SkipUndecodable bool
	// MaxObjectBytes limits how many bytes of JSON an object, or the event that it
	// comes in, may have; 0 for DefaultMaxObjectBytes. A larger one fails the list or
	// watch before it is held in memory as a whole.
	MaxObjectBytes int
}

// Decoder makes objects of the kind T of the bodies of LIST and WATCH responses. It
// may be used from several goroutines.
type Decoder[T Object] struct {
	skip   bool
	max    int
	drop   dropped
	cached Cached[T]
	// kind is what T points to, and plan how it is decoded.
	kind reflect.Type
	plan *plan
	// untyped is set if objects have to say what kind they are.
	untyped bool
	// byValue is set when a line was found that ends in the middle of an event: then
	// events are looked for by their brackets.
	byValue atomic.Bool
}

// NewDecoder returns a Decoder. cached, which may be nil, saves decoding objects that
// the caller has.
func NewDecoder[T Object](options Options, cached Cached[T]) *Decoder[T] {
	d := &Decoder[T]{
		skip:   options.SkipUndecodable,
		max:    options.MaxObjectBytes,
		drop:   newDropped(&options),
		cached: cached,
		kind:   reflect.TypeFor[T]().Elem(),
	}
	d.plan = compile(d.kind, &d.drop)
	d.untyped = d.kind == reflect.TypeFor[unstructured.Unstructured]()
	if d.max <= 0 {
		d.max = DefaultMaxObjectBytes
	}
	return d
}

// Decode makes an object of its JSON text, of which it keeps nothing. The error is a
// *DecodeError.
func (d *Decoder[T]) Decode(text []byte) (T, error) {
	obj, err := d.decode(text)
	if err != nil {
		return obj, err // not nil as an error
	}
	return obj, nil
}

// item is what the frame of one object becomes: an object or an error.
type item[T Object] struct {
	obj T
	// held is set if obj comes from the cache.
	held bool
	// contentHash is 0 if it is not known.
	contentHash uint64
	err         *DecodeError
}

// object makes the object of a frame, or takes it from the cache if mayBeHeld is set. It
// has to have a name: an object without one is none that an API server has.
func (d *Decoder[T]) object(frame []byte, mayBeHeld bool) (i item[T]) {
	i.contentHash = d.contentHash(frame)
	if mayBeHeld {
		if i.obj, i.held = d.held(frame, i.contentHash); i.held {
			return i
		}
	}
	i.obj, i.err = d.named(frame)
	return i
}

// named is decode of an object that has a name.
func (d *Decoder[T]) named(frame []byte) (T, *DecodeError) {
	obj, err := d.decode(frame)
	if err == nil && obj.GetName() == "" {
		return obj, diagnose(frame, d.kind, errNoName)
	}
	return obj, err
}

var errNoName = errors.New("it has no metadata.name")

// skips says whether an object that cannot be decoded is to be left out.
func (d *Decoder[T]) skips(err *DecodeError) bool { return d.skip && err.Name != "" }

// held returns the object that the cache has in the state of the frame, whose hash is
// contentHash. It reads no more of the frame than the metadata.
func (d *Decoder[T]) held(frame []byte, contentHash uint64) (obj T, ok bool) {
	if d.cached == nil {
		return obj, false
	}
	m := readVersion(frame)
	if len(m.name) == 0 || len(m.resourceVersion) == 0 {
		return obj, false
	}
	return d.cached(m.namespace, m.name, m.resourceVersion, contentHash)
}

// decode makes the object of a frame by the plan or, where that gives up, as
// apimachinery does, which also says what is wrong with it.
func (d *Decoder[T]) decode(frame []byte) (T, *DecodeError) {
	if obj, ok := d.decodeFast(frame); ok {
		return obj, nil
	}
	obj := reflect.New(d.kind).Interface().(T)
	if json.Valid(frame) { // otherwise what is wrong might be cut out
		frame = d.drop.cut(frame)
	}
	if err := unmarshal(frame, obj); err != nil {
		var none T
		return none, diagnose(frame, d.kind, err)
	}
	return obj, nil
}

// decodeFast makes the object of a frame by the plan.
func (d *Decoder[T]) decodeFast(frame []byte) (obj T, ok bool) {
	memory := reflect.New(d.kind)
	s := takeScratch()
	end, ok := d.plan.decode(frame, skipSpace(frame, 0), memory.UnsafePointer(), s)
	s.give()
	if !ok || skipSpace(frame, end) != len(frame) {
		return obj, false
	}
	return memory.Interface().(T), true
}
