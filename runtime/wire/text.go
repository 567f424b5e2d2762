package wire

import (
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// Packer replaces each object that a Decoder has decoded by another Object, for example one that takes less memory. Several
// goroutines call its methods at one time.
type Packer interface {
	// Pack returns the object that is delivered in place of obj, with the same metadata. listed is set for an object of a list, which
	// may wait in memory for thousands of others.
	Pack(obj Object, text Text, listed bool) Object
	// NeedsObjects reports whether Pack needs the objects of a list. If it does not, PackText is called, if that can be.
	NeedsObjects() bool
	// PackText is Pack for a text of a list that was checked, and not decoded: of its object, head has only the names, the UID and
	// the version. It returns nil if it needs the object; then Pack is called.
	PackText(head Object, text Text) Object
	// TypeOf returns the Go type of the object that obj has replaced, or the Go type of any other obj.
	TypeOf(obj Object) reflect.Type
}

// Text is the text from which a Decoder has decoded an object. It is part of a body, so Packer.Pack must not keep it.
type Text struct {
	// Bytes are the text, without the members that options leave out of the object. They are empty if the text is not the
	// whole object: then the server has sent its kind after it.
	Bytes []byte
	TextForm
	// Reader decodes other texts of the form. Those objects share no memory, so their readers may write to them.
	Reader *Decoder
}

// TextForm is the encoding of the text of an object.
type TextForm struct {
	// Protobuf is set for a message without its envelope. Other texts are JSON.
	Protobuf bool
	// Kind and APIVersion are set if the text has none. They come from its envelope or from its list.
	Kind, APIVersion string
}

// pack replaces a decoded object. frame is empty if it is not the whole object.
func (d *Decoder) pack(c codec, frame []byte, obj Object, how *howToDecode) Object {
	if d.packer == nil {
		return obj
	}
	return d.packer.Pack(obj, d.textOf(c, frame, how), how.listed)
}

// packText returns the packed object of a frame that is checked and not decoded. It returns nil for one that has to be decoded.
func (d *Decoder) packText(c codec, frame []byte, how *howToDecode) Object {
	if d.packer == nil || !how.listed || how.kindLater || d.isReference || d.mark != nil || d.packer.NeedsObjects() {
		return nil
	}
	head, ok := c.Check(frame)
	if how.gaveUp = !ok; !ok {
		return nil // Decode would give up, too
	}
	obj := head.(Object)
	if how.meta = how.meta.set(obj); d.check(obj) != nil {
		return nil
	}
	packed := d.packer.PackText(obj, d.textOf(c, frame, how))
	if packed != nil && d.checks != nil {
		d.checks.take(d, c, frame)
	}
	return packed
}

// textOf returns the text of an object for a Packer.
func (d *Decoder) textOf(c codec, frame []byte, how *howToDecode) Text {
	text := Text{Bytes: frame, Reader: d.reader}
	if _, text.Protobuf = c.(protobufCodec); !text.Protobuf || !how.gaveUp {
		text.Bytes = d.cut(c, frame)
	}
	if meta := how.meta; meta != nil {
		text.Kind, text.APIVersion = meta.Kind, meta.APIVersion
	}
	return text
}

// usePacker makes the Decoder for texts that are decoded again.
func (d *Decoder) usePacker(object reflect.Type, options Options) {
	d.packer = options.Packer
	options.Packer, options.Keep, options.ReadOnly, options.Check = nil, nil, false, nil
	d.reader = NewDecoder(object, options, nil)
}

// OfMetadata returns a Decoder of the metadata of the same texts, without the fields that options leave out.
func (d *Decoder) OfMetadata() *Decoder {
	kind := reflect.TypeFor[metav1.PartialObjectMetadata]()
	m := NewDecoder(reflect.PointerTo(kind), Options{}, nil)
	m.json = jsonCodec{plan.For(kind, d.mask), 0}
	m.protobuf = sync.OnceValue(func() protobufCodec { return protobufCodec{protobuf.For(kind, kind, d.mask), 0} })
	m.mark = d.mark
	return m
}

// cut returns a text without the members that options leave out. The bytes of all others stay as they are. It only saves memory: what
// it does not find, Reader leaves out too.
func (d *Decoder) cut(c codec, frame []byte) []byte {
	if d.mask != nil && (d.mark == nil || !d.untyped) { // marks of untyped objects need the whole text
		if rest, ok := c.Cut(frame, d.mask); ok {
			return rest
		}
	}
	return frame
}

// secrets leaves out the members of objects that nothing may remember after the object is gone: the data of a Secret, and the copy of
// it that kubectl apply keeps.
var secrets = fieldmask.Without(
	fieldmask.Path{{Name: "data"}}, fieldmask.Path{{Name: "stringData"}},
	fieldmask.Path{{Name: "metadata"}, {Name: "annotations"}, {Name: "kubectl.kubernetes.io/last-applied-configuration", IsKey: true}},
)

// WithoutSecrets returns a text without the members that may have secrets, for those that keep parts of it after the object is gone.
// It returns nil for a text that it cannot read.
func (d *Decoder) WithoutSecrets(form TextForm, text []byte) []byte {
	rest, ok := d.codecOf(form).Cut(text, secrets)
	if !ok {
		return nil
	}
	return rest
}

// Reread decodes a text again, as it was decoded for Packer.Pack. The object keeps nothing of the text.
func (d *Decoder) Reread(form TextForm, text []byte) (Object, error) {
	c := d.codecOf(form)
	obj, err := d.decode(c, text, &howToDecode{})
	if err != nil {
		return nil, err // not nil as an error
	}
	if form.Kind != "" || form.APIVersion != "" {
		meta := d.typeMeta.Load()
		if meta == nil || meta.Kind != form.Kind || meta.APIVersion != form.APIVersion {
			meta = &typeMeta{}
			meta.Kind, meta.APIVersion = form.Kind, form.APIVersion
			d.typeMeta.Store(meta)
		}
		meta.set(obj)
	}
	d.dropTypeMeta(obj)
	return obj, nil
}

// Identity has the names, the UID and the version of an object, in memory of its text.
type Identity struct{ Namespace, Name, UID, ResourceVersion []byte }

// ReadIdentity reads as little of a text as possible.
func (d *Decoder) ReadIdentity(form TextForm, text []byte) Identity {
	h := d.codecOf(form).ReadIdentity(text)
	return Identity{h.Namespace, h.Name, h.UID, h.ResourceVersion}
}

// Delivers returns the Go type of the objects.
func (d *Decoder) Delivers() reflect.Type { return d.delivers }

func (d *Decoder) codecOf(form TextForm) codec {
	if form.Protobuf {
		return d.protobuf()
	}
	return d.json
}

// typeOf returns the Go type of an object of the cache.
func (d *Decoder) typeOf(obj Object) reflect.Type {
	if d.packer != nil {
		return d.packer.TypeOf(obj)
	}
	return reflect.TypeOf(obj)
}
