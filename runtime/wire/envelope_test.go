package wire

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestSyntaxErrorsInAListAreErrors is about members that nothing else reads.
func TestSyntaxErrorsInAListAreErrors(t *testing.T) {
	const list = `"metadata":{"resourceVersion":"1"},"items":[]`
	values := []string{``, `tru`, `01`, `[1,]`, `[1}`, `{"a"}`, `{"a":1,}`, `{"a" 1}`, `"\x"`, "\"\x01\"", `1 2`, `nul`, `{`, `[`, `"`}
	var texts []string
	for _, value := range values {
		for _, name := range []string{"extra", "message", "kind", "code"} {
			texts = append(texts,
				fmt.Sprintf(`{"%s":%s,%s}`, name, value, list), fmt.Sprintf(`{%s,"%s":%s}`, list, name, value))
		}
		texts = append(texts, fmt.Sprintf(`{"metadata":{"resourceVersion":"1","extra":%s},"items":[]}`, value))
	}
	for _, garbage := range []string{`}`, `,`, `x`, `{}`, `"`, "\x00"} {
		texts = append(texts, "{"+list+"}"+garbage)
	}
	texts = append(texts, `{,`+list+`}`, `{`+list+`,}`, `{`+list+` "a":1}`, `{"a" 1,`+list+`}`, "{\"a\x01\":1,"+list+"}", `{"\x":1,`+list+`}`, `{a:1,`+list+`}`)
	for _, text := range texts {
		for arrival, body := range arrivals(text) {
			if page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), body); err == nil || err.Error() == "" {
				t.Errorf("%s, %s: %+v, %v", text, arrival, page, err)
			}
		}
	}
	if _, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"extra":[1,{"a":null}],"\u0061":1e5,`+list+`}`)); err != nil {
		t.Error(err)
	}
}

func TestSyntaxErrorsInAnEventAreErrors(t *testing.T) {
	object := textOf(t, newWidget(1))
	for _, more := range []string{`"more":tru`, `"more":01`, `"more":[1,]`, `"more":{"a" 1}`, `"more":"\x"`, `"\x":1`, "\"a\x01\":1", `"more":`, `"more" 1`, `more:1`, `"type":ADDED`} {
		for _, text := range []string{`{"type":"ADDED","object":` + object + `,` + more + `}`, `{` + more + `,"type":"ADDED","object":` + object + `}`} {
			got, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), Options{SkipUndecodable: true}, nil).Watch(t.Context(), bodyOf(text+"\n")))
			if err == nil || err == io.EOF || len(got) > 0 {
				t.Errorf("%s: %v, %v", text, got, err)
			}
		}
	}
}

// TestErrorsHaveAMessage is about servers that say nothing of what is wrong.
func TestErrorsHaveAMessage(t *testing.T) {
	for status, want := range map[string]string{
		`{"kind":"Status"}`: "no reason and no code",
		`{"kind":"Status","message":" ","reason":"Expired","code":410}`: `reason "Expired", code 410`,
		`{"kind":"Status","code":500}`:                                  "code 500",
		`{"kind":"Status","message":"too old"}`:                         "too old",
		`{"kind":"Pod","metadata":{"name":"a"}}`:                        "",
		`{}`:                                                            "",
		`null`:                                                          "",
		`"text"`:                                                        "",
		`{"kind":"Status","code":"x"}`:                                  "",
	} {
		_, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Watch(t.Context(), bodyOf(eventOf("ERROR", status)+"\n")))
		if !strings.Contains(err.Error(), want) || strings.TrimSpace(err.Error()) == "" {
			t.Errorf("event %s: %q, want %q", status, err, want)
		}
		if isStatus := errors.As(err, new(apierrors.APIStatus)); isStatus != (want != "") {
			t.Errorf("event %s: is an APIStatus: %v", status, isStatus)
		}
		_, err = NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(status))
		if err == nil || !strings.Contains(err.Error(), want) || strings.TrimSpace(err.Error()) == "" {
			t.Errorf("list %s: %q, want %q", status, err, want)
		}
	}
	// A Status with items is none of an empty list.
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"items":[],"metadata":{"resourceVersion":"1"},"code":410,"reason":"Expired","kind":"Status"}`))
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("a Status with items: %v", err)
	}
}

func TestListWithoutAVersionIsRefused(t *testing.T) {
	for _, metadata := range []string{``, `"metadata":{},`, `"metadata":null,`, `"metadata":{"resourceVersion":""},`, `"metadata":{"continue":"more"},`} {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{`+metadata+`"kind":"WidgetList","items":[`+textOf(t, newWidget(1))+`]}`))
		if !errors.As(err, new(*SyntaxError)) || !strings.Contains(err.Error(), `an object of kind "WidgetList" without metadata.resourceVersion`) {
			t.Errorf("%s: %v", metadata, err)
		}
	}
}

// orders calls f with the members of an object in any order.
func orders(members []string, f func(object string)) {
	var permute func(done, left []string)
	permute = func(done, left []string) {
		if len(left) == 0 {
			f("{" + strings.Join(done, ",") + "}")
		}
		for i := range left {
			permute(append(done[:len(done):len(done)], left[i]), append(append([]string{}, left[:i]...), left[i+1:]...))
		}
	}
	permute(nil, members)
}

func TestOrderOfUntypedListsDoesNotMatter(t *testing.T) {
	items := `"items":[{"metadata":{"name":"a"}},{"kind":"Other","apiVersion":"x/v1","metadata":{"name":"b"}}]`
	orders([]string{`"kind":"PodList"`, `"apiVersion":"v1"`, `"metadata":{"resourceVersion":"1"}`, items}, func(text string) {
		page, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{}, nil).List(t.Context(), bodyOf(text))
		if err != nil || len(page.Items) != 2 {
			t.Fatalf("%s: %v", text, err)
		}
		if got := page.Items[0].Object.GetObjectKind().GroupVersionKind().String() + " " + page.Items[1].Object.GetObjectKind().GroupVersionKind().String(); got != "/v1, Kind=Pod x/v1, Kind=Other" {
			t.Errorf("%s: %s", text, got)
		}
	})
	for _, text := range []string{
		`{"metadata":{"resourceVersion":"1"},` + items + `}`, `{` + items + `,"kind":"Pods","metadata":{"resourceVersion":"1"}}`,
		`{` + items + `,"kind":"List","metadata":{"resourceVersion":"1"}}`,
	} {
		_, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{}, nil).List(t.Context(), bodyOf(text))
		var got *DecodeError
		if !errors.As(err, &got) || got.Name != "a" {
			t.Errorf("%s: an item that nothing says the kind of: %v", text, err)
		}
		page, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{SkipUndecodable: true}, nil).List(t.Context(), bodyOf(text))
		if err != nil || len(objectsOf(page)) != 1 || len(undecodableOf(page)) != 1 {
			t.Errorf("%s: %+v, %v", text, page, err)
		}
	}
}

// TestListWithANameOfItsOwn reads lists of custom resources whose listKind is not their kind with List.
func TestListWithANameOfItsOwn(t *testing.T) {
	kind := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	whole := `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a"}}`
	for _, of := range []reflect.Type{reflect.TypeFor[*widget](), reflect.TypeFor[*unstructured.Unstructured](), reflect.TypeFor[*metav1.PartialObjectMetadata]()} {
		for _, listKind := range []string{"Widgets", "WidgetCollection", "GadgetList", "List"} {
			for item, isRight := range map[string]bool{whole: true, `{"metadata":{"name":"a"}}`: true, "": true, strings.Replace(whole, "Widget", "Gadget", 1): false} {
				orders([]string{`"kind":"` + listKind + `"`, `"apiVersion":"example.com/v1"`, `"metadata":{"resourceVersion":"1"}`, `"items":[` + item + `]`}, func(text string) {
					page, err := NewDecoder(of, Options{Kind: kind}, nil).List(t.Context(), bodyOf(text))
					if (err == nil) != isRight || err != nil && !errors.As(err, new(*KindError)) {
						t.Errorf("%s as %v: %v", text, of, err)
						return
					}
					for _, found := range page.Items {
						if got := found.Object.GetObjectKind().GroupVersionKind(); of != reflect.TypeFor[*metav1.PartialObjectMetadata]() && got.GroupKind() != kind && !got.Empty() {
							t.Errorf("%s as %v: an item is a %v", text, of, got)
						}
					}
				})
			}
		}
	}
	// What only a wrong URL returns.
	for _, text := range []string{
		`{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`,
		`{"kind":"Pods","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}}]}`,
	} {
		if _, err := NewDecoder(reflect.TypeFor[*widget](), Options{Kind: schema.GroupKind{Kind: "Pod"}}, nil).List(t.Context(), bodyOf(text)); !errors.As(err, new(*KindError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestListOfAnotherKindIsRefused(t *testing.T) {
	options := Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, SkipUndecodable: true}
	item := `"items":[{"metadata":{"name":"a"}}]`
	for _, test := range []struct{ kind, apiVersion, item, want string }{
		{`"WidgetList"`, `"example.com/v1"`, item, ""},
		{`"WidgetList"`, `"example.com/v2"`, item, ""},
		{`"WidgetList"`, `""`, item, ""},
		{`""`, `null`, item, ""},
		{`""`, `""`, `"items":[{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a"}}]`, ""},
		{`"PodList"`, `"v1"`, item, `"PodList", expected "WidgetList.example.com"`},
		{`"WidgetList"`, `"v1"`, item, `"WidgetList", expected "WidgetList.example.com"`},
		{`"WidgetList"`, `"other.com/v1"`, item, `"WidgetList.other.com", expected "WidgetList.example.com"`},
		{`"Widget"`, `"example.com/v1"`, item, `"Widget.example.com", expected "WidgetList.example.com"`},
		{`"GadgetList"`, `""`, `"items":[]`, `"GadgetList.example.com", expected "WidgetList.example.com"`},
		{`"WidgetList"`, `"example.com/v1"`, `"items":[{"kind":"Gadget","metadata":{"name":"a"}}]`, `"Gadget.example.com", expected "Widget.example.com"`},
		{`""`, `""`, `"items":[{"kind":"Widget","apiVersion":"v1","metadata":{"name":"a"}}]`, `"Widget", expected "Widget.example.com"`},
	} {
		orders([]string{`"kind":` + test.kind, `"apiVersion":` + test.apiVersion, `"metadata":{"resourceVersion":"1"}`, test.item}, func(text string) {
			page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), bodyOf(text))
			if test.want == "" {
				if err != nil || len(page.Items) != 1 {
					t.Errorf("%s: %v", text, err)
				}
			} else if !errors.As(err, new(*KindError)) || !strings.Contains(err.Error(), test.want) || !IsDecodeError(err) {
				t.Errorf("%s: %v, want %s", text, err, test.want)
			}
			if _, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text)); err != nil {
				t.Errorf("%s, where no kind is asked for: %v", text, err)
			}
		})
	}
	// Untyped objects that get their kind from the list.
	text := `{"items":[{"metadata":{"name":"a"}}],"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"1"}}`
	if page, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), options, nil).List(t.Context(), bodyOf(text)); err != nil || page.Items[0].Object.GetObjectKind().GroupVersionKind().Kind != "Widget" {
		t.Error(err)
	}
}

// TestListOfAnotherKindIsNotRead is about a body that never ends.
func TestListOfAnotherKindIsNotRead(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}`), &repeating{text: []byte(`,{"metadata":{"name":"b"}}`)})
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{Kind: schema.GroupKind{Kind: "Widget"}}, nil).List(t.Context(), &body{Reader: endless})
	if !errors.As(err, new(*KindError)) {
		t.Error(err)
	}
}

func TestEventOfAnotherKindIsRefused(t *testing.T) {
	decoder := NewDecoder(reflect.TypeFor[*widget](), Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, SkipUndecodable: true}, nil)
	for object, want := range map[string]string{
		`{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a"}}`:   "",
		`{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}}`:   "",
		`{"metadata":{"name":"a"},"apiVersion":"example.com/v2"}`:                   "",
		`{"metadata":{"name":"a"}}`:                                                 "",
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`:                  `"Pod", expected "Widget.example.com"`,
		`{"apiVersion":"v1","metadata":{"name":"a"},"spec":{"size":3}}`:             `"Widget", expected "Widget.example.com"`,
		`{"metadata":{"name":"a"},"spec":{},"apiVersion":"a.com/v1","kind":"Widg"}`: `"Widg.a.com", expected "Widget.example.com"`,
	} {
		for _, form := range []string{`{"type":"%s","object":%s}`, `{"type": "%s", "object": %s }`} {
			for _, kind := range []string{"ADDED", "MODIFIED", "DELETED"} {
				text := fmt.Sprintf(form, kind, object) + "\n"
				got, err := readAll(t, decoder.Watch(t.Context(), bodyOf(text)))
				if want == "" {
					if err != io.EOF || len(got) != 1 {
						t.Errorf("%s: %v", text, err)
					}
				} else if len(got) > 0 || !errors.As(err, new(*KindError)) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %s", text, err, want)
				}
			}
		}
	}
	// Bookmarks and errors have objects of other kinds.
	text := eventOf("BOOKMARK", `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7"}}`) + eventOf("ERROR", `{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}`)
	if got, err := readAll(t, decoder.Watch(t.Context(), bodyOf(text))); len(got) != 1 || !apierrors.IsResourceExpired(err) {
		t.Errorf("%v, %v", got, err)
	}
}
