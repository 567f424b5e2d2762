package wire

import (
	"bytes"
	"reflect"
)

// Packer replaces each object that a Decoder has decoded by another Object, for example one that takes less memory. Several
// goroutines call its methods at one time.
type Packer interface {
	// Pack returns what is delivered in place of obj, with the same metadata. listed is set for an object of a list, which
	// may wait in memory for thousands of others.
	Pack(obj Object, text Text, listed bool) Object
	// TypeOf returns the Go type of the object that obj has replaced, or the Go type of any other obj.
	TypeOf(obj Object) reflect.Type
}

// Text is the text from which a Decoder has decoded an object. It is part of a body, so Packer.Pack must not keep it.
type Text struct {
	// Bytes are empty if the text is not the whole object: then the server has sent its kind after it.
	Bytes []byte
	TextForm
	// HasMore is set if the text may have what options leave out of the object.
	HasMore bool
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
func (d *Decoder) pack(c codec, frame []byte, meta *typeMeta, obj Object, listed bool) Object {
	if d.packer == nil {
		return obj
	}
	text := Text{Bytes: frame, Reader: d.reader, HasMore: d.mayHaveMore(frame)}
	_, text.Protobuf = c.(protobufCodec)
	if meta != nil {
		text.Kind, text.APIVersion = meta.Kind, meta.APIVersion
	}
	return d.packer.Pack(obj, text, listed)
}

// usePacker makes the Decoder for texts that are decoded again.
func (d *Decoder) usePacker(object reflect.Type, options Options) {
	d.packer = options.Packer
	options.Packer, options.Keep, options.ReadOnly = nil, nil, false
	d.reader = NewDecoder(object, options, nil)
	for _, key := range options.WithoutAnnotations {
		d.leftOutText = append(d.leftOutText, []byte(key))
	}
	if options.WithoutManagedFields {
		// Each entry has it, in both encodings.
		d.leftOutText = append(d.leftOutText, []byte("FieldsV1"))
	}
}

// mayHaveMore reports whether a text may have what options leave out.
func (d *Decoder) mayHaveMore(frame []byte) bool {
	for _, text := range d.leftOutText {
		if bytes.Contains(frame, text) {
			return true
		}
	}
	return false
}

// packLate replaces the untyped object of an item whose kind came after it.
func (d *Decoder) packLate(item *Item) {
	if item.Err == nil {
		item.Object = d.pack(d.json, nil, nil, item.Object, true)
	}
}

// Reread decodes a text again, as it was decoded for Packer.Pack. The object keeps nothing of the text.
func (d *Decoder) Reread(form TextForm, text []byte) (Object, error) {
	c := d.codecOf(form)
	obj, err := d.decode(c, text, false)
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
