package wire

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
)

// pointed is a kind that embeds pointers to its metadata.
type pointed struct {
	*metav1.TypeMeta   `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`

	Size int `json:"size"`
}

func (p *pointed) DeepCopyObject() runtime.Object { panic("no test copies it") }

// TestPointedMetadata decodes objects of which parts of the metadata are missing.
func TestPointedMetadata(t *testing.T) {
	options := Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Pointed"}}
	const named = `{"kind":"Pointed","apiVersion":"example.com/v1","metadata":{"name":"a"},"size":1}`
	for _, test := range []struct {
		name, item string
		want       error
	}{
		{"all of it", named, nil},
		{"no kind", `{"metadata":{"name":"a"}}`, nil},
		{"another kind", strings.Replace(named, "Pointed", "Other", 1), &KindError{}},
		{"no metadata", `{"kind":"Pointed","size":1}`, safemeta.ErrNone},
		{"null", `{"metadata":null}`, safemeta.ErrNone},
		{"no name", `{"metadata":{}}`, errNoName},
		{"nothing", `{}`, safemeta.ErrNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := func(obj *pointed, err error) {
				t.Helper()
				var undecodable *DecodeError
				_, wantsKind := test.want.(*KindError)
				switch {
				case test.want == nil:
					if err != nil || obj.Name != "a" {
						t.Errorf("decoded %+v, %v", obj, err)
					}
				case !errors.As(err, &undecodable):
					t.Errorf("the error is %#v", err)
				case wantsKind && !errors.As(err, new(*KindError)), !wantsKind && !errors.Is(err, test.want):
					t.Errorf("the error is %v, want %v", err, test.want)
				}
			}
			decoder := NewDecoder(reflect.TypeFor[*pointed](), options, nil)
			page, err := decoder.List(t.Context(), io.NopCloser(strings.NewReader(`{"kind":"PointedList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[`+test.item+`]}`)))
			if err == nil {
				check(page.Items[0].Object.(*pointed), nil)
			} else {
				check(nil, err)
			}
			stream := decoder.Watch(t.Context(), io.NopCloser(strings.NewReader(`{"type":"ADDED","object":`+test.item+`}`+"\n")))
			defer stream.Stop()
			events, err := stream.Next(t.Context(), nil)
			if err == nil {
				check(events[0].Object.(*pointed), nil)
			} else {
				check(nil, err)
			}
		})
	}
}

// SlimKind is a kind whose metadata is not apimachinery's, and has no managed fields.
type SlimKind struct {
	metav1.TypeMeta `json:",inline"`
	SlimMeta        `json:"metadata"`
}

type SlimMeta struct {
	metav1.Object `json:"-"` // panics, for it is nil

	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations"`
}

func (m *SlimMeta) GetName() string { return m.Name }

func (s *SlimKind) DeepCopyObject() runtime.Object { panic("no test copies it") }

// TestSlimMetadata leaves annotations out of metadata that is not apimachinery's, by the
// plan and by the library.
func TestSlimMetadata(t *testing.T) {
	decoder := NewDecoder(reflect.TypeFor[*SlimKind](), Options{WithoutFields: []string{"metadata.managedFields", "metadata.annotations[drop]"}}, nil)
	want := &SlimKind{SlimMeta: SlimMeta{Name: "a", Annotations: map[string]string{"keep": "2"}}}
	for _, twice := range []string{"", `"name":"b",`} {
		got, err := decoder.Decode([]byte(`{"metadata":{` + twice + `"name":"a","annotations":{"drop":"1","keep":"2"},"managedFields":[{"manager":1}]}}`))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decoded %+v, %v", got, err)
		}
	}
}

// TestAcceptEndsWithPlainJSON compares Accept headers with those of client-go's metadata client. A server
// that does not know the parameters can answer all of them.
func TestAcceptEndsWithPlainJSON(t *testing.T) {
	const text, binary = "application/json", "application/vnd.kubernetes.protobuf"
	const meta, metaList, drop = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ";drop=metadata.managedFields"
	partial := &metav1.PartialObjectMetadata{}
	for _, test := range []struct {
		name        string
		options     Options
		list, watch string
	}{
		{"metadata", Options{Object: partial}, binary + metaList + "," + text + metaList + "," + text, binary + meta + "," + text + meta + "," + text},
		{"metadata, only JSON", Options{Object: partial, WithoutProtobuf: true}, text + metaList + "," + text, text + meta + "," + text},
		{"metadata without managed fields", Options{Object: partial, WithoutProtobuf: true, WithoutFields: []string{"metadata.managedFields"}}, text + metaList + drop + "," + text, text + meta + drop + "," + text},
		{"whole objects", Options{Object: &widget{}}, text, text},
		{"without managed fields", Options{Object: &widget{}, WithoutFields: []string{"metadata.managedFields"}}, text + drop + "," + text, text + drop + "," + text},
	} {
		d := NewDecoder(reflect.TypeFor[Object](), test.options, nil)
		if list, watch := d.Accept(false), d.Accept(true); list != test.list || watch != test.watch {
			t.Errorf("%s: lists accept\n%s\nwant\n%s\nwatches accept\n%s\nwant\n%s", test.name, list, test.list, watch, test.watch)
		}
	}
}

// TestMetadataOfWholeObjects reads the answers of servers to requests for metadata only. An object has
// the kind of its text or of its list.
func TestMetadataOfWholeObjects(t *testing.T) {
	kind := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	for _, test := range []struct {
		name, apiVersion, kind string
		accepted               bool
	}{
		{"metadata", "meta.k8s.io/v1", "PartialObjectMetadata", true},
		{"old metadata", "meta.k8s.io/v1beta1", "PartialObjectMetadata", true},
		{"whole objects", "example.com/v1", "Widget", true},
		{"neither", "", "", true},
		{"no group", "", "Widget", true},
		{"another kind", "example.com/v1", "Gadget", false},
		{"another group", "example.org/v1", "Widget", false},
		{"metadata of another group", "example.com/v1", "PartialObjectMetadata", false},
		{"an object of the group of metadata", "meta.k8s.io/v1", "Widget", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMetadataOf(t, NewDecoder(reflect.TypeFor[*metadata](), Options{Kind: kind}, nil), test.apiVersion, test.kind, test.accepted)
			checkMetadataOf(t, NewDecoder(reflect.TypeFor[Object](), Options{Kind: kind, Object: &metadata{}}, nil), test.apiVersion, test.kind, test.accepted)
		})
	}
}

// checkMetadataOf reads a list and a streaming list, in JSON and in protobuf, of one object of a kind.
func checkMetadataOf(t *testing.T, d *Decoder, apiVersion, kind string, accepted bool) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: "a", ResourceVersion: "7", Labels: map[string]string{"of": "metadata"}}
	check := func(from string, obj Object, err error, typeMeta metav1.TypeMeta) {
		t.Helper()
		switch {
		case !accepted && !errors.As(err, new(*KindError)), accepted && err != nil:
			t.Errorf("%s: the error is %v", from, err)
		case accepted:
			if want := (&metadata{TypeMeta: typeMeta, ObjectMeta: meta}); !reflect.DeepEqual(obj, want) {
				t.Errorf("%s: decoded\n%+v\nwant\n%+v", from, obj, want)
			}
		}
	}
	itemKind := metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
	listKind := itemKind
	if kind != "" {
		listKind.Kind += "List"
	}
	listedKind := itemKind
	if apiVersion == "" {
		listedKind = metav1.TypeMeta{} // items get a kind only with its apiVersion
	}
	members := func(of metav1.TypeMeta) string {
		text, _ := json.Marshal(struct {
			metav1.TypeMeta
			Code int `json:"code"` // so that there is a member
		}{TypeMeta: of})
		return strings.Trim(string(text), "{}")
	}
	object := `{` + members(itemKind) + `,"metadata":{"name":"a","resourceVersion":"7","labels":{"of":"metadata"}},"spec":{"metadata":{"name":"b"}}}`
	message := messageOf(&metadata{ObjectMeta: meta}) + field(2, "a spec")
	for _, list := range []struct {
		name, body string
		typeMeta   metav1.TypeMeta
	}{
		{"a list", `{` + members(listKind) + `,"metadata":{"resourceVersion":"9"},"items":[` + object + `]}`, itemKind},
		{"a list with its kind at its end", `{"metadata":{"resourceVersion":"9"},"items":[` + object + `],` + members(listKind) + `}`, itemKind},
		{"a list in protobuf", inEnvelope(listKind, field(1, messageOf(&metav1.ListMeta{ResourceVersion: "9"}))+field(2, message)), listedKind},
	} {
		page, err := d.List(t.Context(), bodyOf(list.body))
		if err == nil && len(page.Items) != 1 {
			t.Fatalf("%s has %d items", list.name, len(page.Items))
		}
		var obj Object
		if err == nil {
			obj = page.Items[0].Object
		}
		check(list.name, obj, err, list.typeMeta)
	}
	mark := strings.Replace(object, `"labels":{"of":"metadata"}`, `"annotations":{"k8s.io/initial-events-end":"true"}`, 1)
	for _, watched := range []struct{ name, body string }{
		{"a watch", `{"type":"ADDED","object":` + object + "}\n" + `{"type":"BOOKMARK","object":` + mark + "}\n"},
		{"a watch in protobuf", frameOf(watch.Added, inEnvelope(itemKind, message)) +
			frameOf(watch.Bookmark, inEnvelope(itemKind, messageOf(bookmarkOf("7", true))+field(2, "a spec")))},
	} {
		events, err := readAll(t, d.Watch(t.Context(), bodyOf(watched.body)))
		switch {
		case len(events) == 0:
			check(watched.name, nil, err, itemKind)
		case len(events) != 2 || !events[1].InitialEventsEnd || events[1].ResourceVersion != "7":
			t.Errorf("%s: the events are %+v, %v", watched.name, events, err)
		default:
			check(watched.name, events[0].Object, nil, itemKind)
		}
	}
}

// slim is a kind without managed fields.
type slim struct{ metav1.PartialObjectMetadata }

func (*slim) SetManagedFields([]metav1.ManagedFieldsEntry) { panic("there are none") }

func TestTrimmerOfSlimMetadata(t *testing.T) {
	obj := &slim{}
	obj.Annotations = map[string]string{"drop": "1", "keep": "2"}
	Trimmer(&Options{WithoutFields: []string{"metadata.managedFields", "metadata.annotations[drop]"}})(obj)
	if !reflect.DeepEqual(obj.Annotations, map[string]string{"keep": "2"}) {
		t.Errorf("the annotations are %v", obj.Annotations)
	}
}
