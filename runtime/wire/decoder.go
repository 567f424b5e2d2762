package wire

import (
	"bytes"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

const (
	// DefaultMaxObjectBytes is the default of Options.MaxObjectBytes.
	DefaultMaxObjectBytes = 64 << 20
	// EtcdRequestBytes is the default limit of etcd for one request, in bytes. The API
	// server stores custom resources as JSON, so a lower MaxObjectBytes refuses objects
	// that the server has accepted.
	EtcdRequestBytes = 3 << 19
)

// Options configure how objects are decoded.
type Options struct {
	// Object is an object of the Go type to decode to, such as &v1.Foo{}, if the type that
	// NewDecoder gets is an interface type. Only its type matters, and nothing is written to it. For
	// other types it has no effect.
	Object runtime.Object
	// Fields are the only fields to decode, but for those that identify an object: kind, apiVersion, and in the metadata
	// name, namespace, uid, resourceVersion, generation, deletionTimestamp, finalizers and ownerReferences. It is empty for all fields.
	// Nothing is allocated for the others.
	//
	// A path has the names of fields in JSON, with dots between them. It leads through the items of lists:
	// spec.containers.image is the image of each container. The key of a map is in brackets:
	// metadata.annotations[example.com/owner]. A map of which no key is left is left out itself.
	Fields []string
	// WithoutFields are fields to leave out, also of those in Fields.
	WithoutFields []string
	// MarkFields sets what Fields and WithoutFields leave out to values that no server sends, for tests: texts that begin with
	// Unread and end with the path, odd numbers, and one such element in each list and map. Decoding is slow with it.
	MarkFields bool
	// WithoutTypeMeta leaves the kind and apiVersion of objects empty, as the typed clients of
	// client-go do. By default they are those of the text. An item of a list gets those of the
	// list if its text has none. The option has no effect on unstructured objects and on
	// *metav1.PartialObjectMetadata.
	WithoutTypeMeta bool
	// SkipUndecodable delivers the name of an object that cannot be decoded, or that is
	// above MaxObjectBytes, and the reason. By default one such object fails the list or
	// watch. Even with this option, an object whose name cannot be read fails it.
	SkipUndecodable bool
	// WithoutObjectTextInErrors leaves text of objects out of errors: DecodeError.Near,
	// the values and keys of maps in DecodeError.Path and Err, TooLargeError.Begin and
	// SyntaxError.Near. Errors keep the names, UIDs and versions of objects, their kinds,
	// the names of fields of Go types, and indexes. The option is always set for the kind
	// Secret of the core group: if Kind is that kind, or if the Go type is the one of k8s.io/api.
	WithoutObjectTextInErrors bool
	// MaxObjectBytes limits how many bytes of JSON or protobuf an object, or the event that it
	// comes in, may have; 0 for DefaultMaxObjectBytes. A larger one fails the list or
	// watch before it is held in memory as a whole. With SkipUndecodable it is skipped, and
	// the rest of it is read but not held. To be skipped, it needs its whole metadata within
	// the limit, or at least namespace, name, uid and resourceVersion.
	//
	// etcd takes requests of up to EtcdRequestBytes by default. As JSON an object that is
	// stored in another form may be six times as large, 9 MiB: the API server writes <, >
	// and & as six bytes each.
	MaxObjectBytes int
	// Kind is the kind of the objects in the body, with its group. A list or an object of
	// another kind or group fails the list or watch with a *KindError, also with
	// SkipUndecodable. A list or an object without a kind or group is accepted. If Kind.Kind
	// is empty, all kinds are accepted. A decoder of *metav1.PartialObjectMetadata accepts metadata and objects
	// of that kind, of which it decodes the metadata. Each keeps the kind that its text has.
	Kind schema.GroupKind
	// Protobuf is an object of the Go type of the kind, such as &corev1.Pod{}, if the API
	// server also has the kind as protobuf. The decoder then asks for protobuf first
	// and for JSON second. The numbers of fields come from the protobuf tags of that type.
	// For a view, it is the type of the whole kind: a field of the view and its field are the same
	// if their names in JSON are equal. nil asks for JSON only. Only the type matters, and
	// nothing is written to the object.
	Protobuf runtime.Object
	// ReadOnly is set if no one will write to the objects, which then share parts that are
	// the same in many of them, such as the resources that containers request. They share them with
	// objects of the same Decoder only, and never labels or annotations. An informer
	// sets it, unless it has a Transform.
	ReadOnly bool
	// WithoutProtobuf asks for JSON only, for example to read the traffic.
	WithoutProtobuf bool
	// Keep, if it is not nil, reports whether an object is delivered. It is called before the object
	// is decoded, for each item of a list and each event with an object that has a name, from several
	// goroutines at one time. The Head shares memory with the body: Keep must not retain it. An object that
	// Keep leaves out costs a scan of its text. It is not an error, even if it cannot be decoded. See
	// Page.Dropped and Event.Dropped. It may know only a part of the metadata; see Head.IsPartial. For Decode and DecodeItem it is an error, which wraps ErrNotKept.
	Keep func(head Head) bool
	// KeepChanges is set if Keep may leave out a state of an object after it has kept another one,
	// for example because it depends on owner references. Then an event of such a state, other than
	// Added, is delivered as one of Type NoLongerKept. It has no object. Its Err has the name and
	// wraps ErrNotKept. There is such an event for every state that is left out, because a Decoder does not
	// remember objects.
	KeepChanges bool
	// Packer, if it is not nil, replaces each object that is decoded.
	Packer Packer
	// Reference decodes each object with apimachinery's serializers: the objects are the same, but take several times as long, and
	// share no memory. This package still divides a body into objects, reads their names, takes unchanged ones from the cache, and
	// removes fields that options leave out, afterwards. The messages of a Packer keep the text of these.
	Reference bool
	// Check, if it is not nil, compares some of the decoded objects with those of apimachinery's serializers.
	Check *Check
}

// Decoder decodes the bodies of LIST and WATCH responses to objects of one Go type. It may
// be used from several goroutines.
type Decoder struct {
	skip   bool
	hide   bool // text of objects in errors
	max    int
	cached Cached
	// keep and keepChanges are Options.Keep and Options.KeepChanges.
	keep        func(Head) bool
	keepChanges bool
	// want is Options.Kind.
	want schema.GroupKind
	json codec
	// protobuf returns the codec of bodies in protobuf. A server may send such a body without being asked for it.
	protobuf func() protobufCodec
	// typeMeta is the kind in the last event in protobuf.
	typeMeta atomic.Pointer[typeMeta]
	// acceptList and acceptWatch are the results of Accept.
	acceptList, acceptWatch string
	// untyped is set if each object has to have a kind.
	untyped bool
	// metadata is set if the objects are *metav1.PartialObjectMetadata. A server that does not know them
	// answers with whole objects.
	metadata bool
	// withoutTypeMeta is set if the kind of typed objects is removed after it was checked.
	withoutTypeMeta bool
	// delivers is the type of the decoded objects.
	delivers reflect.Type
	// mask has the fields that are kept of objects.
	mask *fieldmask.Mask
	// mark marks the fields of Options.MarkFields. It may be nil.
	mark func(obj Object)
	// isReference is Options.Reference, and checks Options.Check.
	isReference bool
	checks      *Check
	// packer is Options.Packer. With one, reader decodes texts again.
	packer Packer
	reader *Decoder
	// byValue is set after a line has ended in the middle of an event. Then brackets, and
	// not lines, tell where an event ends.
	byValue atomic.Bool
}

// NewDecoder returns a Decoder of objects of a type, such as reflect.TypeFor[*v1.Foo](). It is an
// interface type if Options.Object has the type to decode to: NewDecoder panics without one then. It panics with
// the error of Options.CheckFields. The Decoder does not decode objects that cached returns. cached may be nil.
func NewDecoder(object reflect.Type, options Options, cached Cached) *Decoder {
	kind, given := structOf(object, &options), options
	if err := options.CheckFields(reflect.PointerTo(kind)); err != nil {
		panic("wire: " + err.Error())
	}
	var sharer memory.Sharer
	if options.ReadOnly && !options.MarkFields { // marks are written to the objects
		sharer = memory.NewSharer()
	}
	d := &Decoder{
		skip:    options.SkipUndecodable,
		hide:    options.WithoutObjectTextInErrors || options.Kind == schema.GroupKind{Kind: "Secret"} || kind.PkgPath() == "k8s.io/api/core/v1" && kind.Name() == "Secret",
		max:     options.MaxObjectBytes,
		cached:  cached,
		keep:    options.Keep,
		want:    options.Kind,
		mask:    maskOf(&options),
		untyped: kind == unstructuredType,
	}
	decoded := d.mask
	if options.MarkFields {
		d.mark = marks(d.mask)
		if d.untyped {
			decoded = nil // or no one would know the names of the fields that are left out
		}
	}
	d.isReference, d.checks = options.Reference, options.Check
	d.json = jsonCodec{plan.For(kind, decoded), sharer}
	d.keepChanges = options.KeepChanges
	d.metadata = isMetadata(kind)
	d.withoutTypeMeta = options.WithoutTypeMeta && !d.untyped && !d.metadata
	d.delivers = reflect.PointerTo(kind)
	if d.max <= 0 {
		d.max = DefaultMaxObjectBytes
	}
	ofMessages := sync.OnceValue(func() *protobuf.Plan { return protobuf.For(kind, wholeOf(kind, &options), d.mask) })
	d.protobuf = func() protobufCodec { return protobufCodec{ofMessages(), sharer} }
	asks := !options.WithoutProtobuf && (options.Protobuf != nil || d.metadata) && ofMessages().IsUsable()
	d.acceptList = d.acceptOf("List", asks)
	d.acceptWatch = d.acceptOf("", asks)
	if options.Packer != nil {
		d.usePacker(object, given)
	}
	return d
}

var unstructuredType = reflect.TypeFor[unstructured.Unstructured]()

func isInterface(object reflect.Type) bool { return object.Kind() == reflect.Interface }

// structOf returns the struct type that a decoder of a type decodes to.
func structOf(object reflect.Type, options *Options) reflect.Type {
	switch {
	case !isInterface(object):
		return object.Elem()
	case options.Object == nil:
		panic("wire: a Decoder of an interface type needs Options.Object")
	}
	return reflect.TypeOf(options.Object).Elem()
}

// wholeOf returns the struct type whose messages are decoded to kind.
func wholeOf(kind reflect.Type, options *Options) reflect.Type {
	if options.Protobuf == nil || isMetadata(kind) {
		return kind
	}
	return reflect.TypeOf(options.Protobuf).Elem()
}

// isMetadata reports whether a type is the metadata of objects, which a server sends if it
// is asked for it.
func isMetadata(kind reflect.Type) bool {
	return kind == reflect.TypeFor[metav1.PartialObjectMetadata]()
}

// Accept returns the value of the Accept header for requests whose bodies d reads: the
// encodings that it decodes fastest first. If metadata.managedFields is left out, it asks the server
// not to send them (https://kep.k8s.io/5958), which a server may ignore. For
// *metav1.PartialObjectMetadata it asks for metadata only. A header with parameters ends with plain
// JSON, for servers that do not know them.
func (d *Decoder) Accept(watch bool) string {
	if watch {
		return d.acceptWatch
	}
	return d.acceptList
}

// acceptOf returns the value of an Accept header. of is "List" for that of a LIST.
func (d *Decoder) acceptOf(of string, protobuf bool) string {
	parameters := ""
	if d.metadata {
		parameters += ";as=PartialObjectMetadata" + of + ";g=meta.k8s.io;v=v1"
	}
	if d.mask.At("metadata").At("managedFields").KeepsNothing() {
		parameters += ";drop=metadata.managedFields"
	}
	accept := runtime.ContentTypeJSON
	if parameters != "" {
		accept = runtime.ContentTypeJSON + parameters + "," + accept
	}
	if protobuf {
		accept = runtime.ContentTypeProtobuf + parameters + "," + accept
	}
	return accept
}

// Decode returns the object of its text, which is JSON or begins with the magic number of
// protobuf. It keeps nothing of the text. The error is a *DecodeError, a *TooLargeError for a
// text whose event would be above Options.MaxObjectBytes, or, for protobuf without an object, a
// *SyntaxError.
func (d *Decoder) Decode(text []byte) (Object, error) {
	item, err := d.DecodeItem(text)
	return item.Object, err
}

// DecodeItem is Decode with the hash of the content, which is that of an event with the same
// text. A text of any kind is decoded to *metav1.PartialObjectMetadata.
func (d *Decoder) DecodeItem(text []byte) (Item, error) {
	c, frame := d.json, bytes.TrimSpace(text)
	if len(frame)+maxEventBytes > d.max {
		return Item{}, d.withoutText(&TooLargeError{Limit: d.max, Begin: shown(frame)})
	}
	var meta *typeMeta
	if bytes.HasPrefix(text, []byte(protobuf.Magic)) {
		e, err := readEnvelope(text)
		if err == nil {
			err = d.checkProtobuf()
		}
		if err != nil {
			return Item{}, d.withoutText(err)
		}
		c, frame, meta = d.protobuf(), e.Raw, d.typeMetaOf(e)
	}
	if h, out := d.leavesOut(c, frame); out {
		return Item{}, errorOf(h, ErrNotKept)
	}
	how := howToDecode{meta: meta}
	obj, err := d.decode(c, frame, &how)
	if err != nil {
		return Item{}, err // not nil as an error
	}
	how.meta = meta.set(obj)
	d.dropTypeMeta(obj)
	return Item{Object: d.pack(c, frame, obj, &how), ContentHash: d.contentHash(c, frame)}, nil
}

// maxEventBytes is how many bytes more than its object an event has in JSON. In protobuf it has fewer.
const maxEventBytes = len(`{"type":"MODIFIED","object":}`)

// dropTypeMeta removes the kind of a typed object if Options.WithoutTypeMeta is set.
func (d *Decoder) dropTypeMeta(obj Object) {
	if !d.withoutTypeMeta {
		return
	}
	safemeta.SetKind(obj, &metav1.TypeMeta{})
}

// howToDecode has the known facts about an object before it is decoded.
type howToDecode struct {
	// mayBeHeld is set if the cache may have it.
	mayBeHeld bool
	// gaveUp is set if the plan has given up on it, and is not tried again. decode sets it too.
	gaveUp bool
	// meta is the kind of an object that has none in the frame, if it is known.
	meta *typeMeta
	// listed is set for an item of a list, and kindLater if its kind is not known yet.
	listed, kindLater bool
}

// object returns the object of a frame, from the cache if it is there. An object without a
// name is an error: each object of an API server has one.
func (d *Decoder) object(c codec, frame []byte, how howToDecode) (i Item) {
	i.ContentHash = d.contentHash(c, frame)
	if how.mayBeHeld {
		if i.Object, i.Held = d.held(c, frame, i.ContentHash); i.Held {
			return i
		}
	}
	if i.Object = d.packText(c, frame, &how); i.Object != nil {
		return i
	}
	if i.Object, i.Err = d.named(c, frame, &how); i.Err != nil {
		return Item{Err: i.Err}
	}
	if !how.kindLater {
		i.Object = d.pack(c, frame, i.Object, &how)
	}
	return i
}

// named is decode of an object that has a name. It sets how.meta to nil if the object has a kind of its own.
func (d *Decoder) named(c codec, frame []byte, how *howToDecode) (Object, *DecodeError) {
	obj, err := d.decode(c, frame, how)
	if err == nil {
		how.meta = how.meta.set(obj)
		if wrong := d.check(obj); wrong != nil {
			return obj, describe(c, frame, wrong)
		}
	}
	return obj, err
}

// check returns an error for an object without a name, or of another kind. It removes the kind of any
// other object if Options.WithoutTypeMeta is set.
func (d *Decoder) check(obj Object) error {
	name, err := safemeta.NameOf(obj)
	switch {
	case err != nil:
		return safemeta.ErrNone // without the text of the panic, which may have text of the object
	case name == "":
		return errNoName
	}
	if err := d.checkKind(obj); err != nil {
		return err
	}
	d.dropTypeMeta(obj)
	return nil
}

// checkKind returns an error for an object whose text has another kind.
func (d *Decoder) checkKind(obj Object) error {
	if d.want.Kind == "" {
		return nil
	}
	gvk := safemeta.KindOf(obj)
	if kind := gvk.GroupKind(); kind == d.want || kind == partialKind && d.metadata || kind.Kind == kindLater {
		return nil
	}
	return d.checkTypeMeta(gvk.GroupVersion().String(), gvk.Kind, "")
}

// partialKind is the kind of the answers to requests for metadata only.
var partialKind = schema.GroupKind{Group: metav1.GroupName, Kind: "PartialObjectMetadata"}

// checkTypeMeta returns a *KindError for an apiVersion and a kind that are not accepted. Each of them may
// be empty. suffix is "List" for a list, and empty otherwise.
func (d *Decoder) checkTypeMeta(apiVersion, kind, suffix string) error {
	if d.want.Kind == "" {
		return nil
	}
	err := checkKind(apiVersion, kind, schema.GroupKind{Group: d.want.Group, Kind: d.want.Kind + suffix})
	if err != nil && d.metadata && checkKind(apiVersion, kind, schema.GroupKind{Group: partialKind.Group, Kind: partialKind.Kind + suffix}) == nil {
		return nil
	}
	return err
}

var errNoName = errors.New("it has no metadata.name")

// skips reports whether an object that cannot be decoded is left out. An object of another
// kind is not left out, because all objects of the server may be of that kind.
func (d *Decoder) skips(err *DecodeError) bool {
	return d.skip && err.Name != "" && !errors.As(err.Err, new(*KindError))
}

// skipLarge returns the error of an object that is left out because it is too large. h is its
// head. It returns large, with the name, if the object cannot be left out: its metadata is
// not complete, it is of another kind, or Options.SkipUndecodable is not set.
func (d *Decoder) skipLarge(h plan.Head, large *TooLargeError) (state *DecodeError, err error) {
	why := &TooLargeError{Limit: d.max, Namespace: bounded(h.Namespace), Name: bounded(h.Name), Begin: large.Begin}
	if d.hide {
		why.Begin = ""
	}
	if !d.skip {
		return nil, why
	}
	if err := d.checkTypeMeta(string(h.APIVersion), string(h.Kind), ""); err != nil {
		return nil, err
	}
	if why.Name == "" || !h.IsWhole && (h.Namespace == nil || h.UID == nil || h.ResourceVersion == nil) {
		return nil, why
	}
	return errorOf(h, why), nil
}

// withoutText returns err without text of objects, if that is hidden.
func (d *Decoder) withoutText(err error) error {
	if !d.hide {
		return err
	}
	switch err := err.(type) {
	case *SyntaxError:
		return err.withoutText()
	case *TooLargeError:
		return err.withoutText()
	}
	return err
}

// held returns the object of the cache that has the state of the frame. contentHash is the
// hash of the frame. held reads only the metadata of the frame.
func (d *Decoder) held(c codec, frame []byte, contentHash uint64) (obj Object, ok bool) {
	if d.cached == nil {
		return obj, false
	}
	h := c.ReadVersion(frame)
	if len(h.Name) == 0 || len(h.ResourceVersion) == 0 {
		return obj, false
	}
	obj, ok = d.cached(h.Namespace, h.Name, h.ResourceVersion, contentHash)
	return obj, ok && d.typeOf(obj) == d.delivers
}

// contentHash returns the hash of the text of an object, or 0 if there is no cache.
func (d *Decoder) contentHash(c codec, frame []byte) uint64 {
	if d.cached == nil {
		return 0
	}
	return c.ContentHash(frame)
}

// decode returns the object of a frame. It uses the plan or, if that gives up or how.gaveUp is
// set, the slower definition of the encoding, whose error it returns.
func (d *Decoder) decode(c codec, frame []byte, how *howToDecode) (Object, *DecodeError) {
	if !how.gaveUp {
		if obj, ok := d.decodeFast(c, frame); ok {
			return obj, nil
		}
		how.gaveUp = true // also if Options.Reference is set
	}
	obj, err := c.Unmarshal(frame)
	if err != nil {
		return nil, c.diagnose(frame, err, d.hide)
	}
	return d.marked(obj.(Object)), nil
}

// marked returns obj with the marks of Options.MarkFields.
func (d *Decoder) marked(obj Object) Object {
	if d.mark != nil {
		d.mark(obj)
	}
	return obj
}

// decodeFast returns the object of a frame. It reports false if the plan gave up, or is not used.
func (d *Decoder) decodeFast(c codec, frame []byte) (obj Object, ok bool) {
	if d.isReference {
		return nil, false
	}
	decoded, ok := c.Decode(frame)
	if !ok {
		return obj, false
	}
	if d.checks != nil {
		d.checks.take(d, c, frame)
	}
	return d.marked(decoded.(Object)), true
}
