package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

func checkPage(t *testing.T, page Page, n int) {
	t.Helper()
	if page.ResourceVersion != "77" || page.Continue != "more" {
		t.Errorf("the page has version %q and token %q", page.ResourceVersion, page.Continue)
	}
	if len(page.Items) != n {
		t.Fatalf("%d items, want %d", len(page.Items), n)
	}
	for i, got := range objectsOf(page) {
		if want := reread(t, newWidget(i)); !reflect.DeepEqual(got, want) {
			t.Fatalf("item %d is\n%+v\nwant\n%+v", i, got, want)
		}
	}
}

// objectsOf returns the objects of the items without an error.
func objectsOf(page Page) (objects []Object) {
	for _, item := range page.Items {
		if item.Err == nil {
			objects = append(objects, item.Object)
		}
	}
	return objects
}

// undecodableOf returns the errors of the other items.
func undecodableOf(page Page) (states []*DecodeError) {
	for _, item := range page.Items {
		if item.Err != nil {
			states = append(states, item.Err)
		}
	}
	return states
}

func TestListReadsItemsInOrderHoweverTheyArrive(t *testing.T) {
	const n = 500
	for name, body := range arrivals(listOf(t, n)) {
		t.Run(name, func(t *testing.T) {
			page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), body)
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, page, n)
			if !body.closed.Load() {
				t.Error("the body is not closed")
			}
		})
	}
}

func TestListTakesItsMembersInAnyOrder(t *testing.T) {
	items := strings.Join(texts(t, 2), " ,\n ")
	for _, text := range []string{
		`{"items":[` + items + `],"metadata":{"resourceVersion":"77","continue":"more"}}`,
		` { "unknown" : [{"items":[1]},"}"] , "items" : [ ` + items + ` ] , "metadata" : { "resourceVersion" : "77", "continue":"more" } } `,
		"{\n\t\"metadata\": {\"resourceVersion\": \"77\",\"selfLink\":null,\"continue\":\"more\"},\n\t\"it\\u0065ms\": [" + items + "],\"kind\":\"WidgetList\"\n}\n\n",
	} {
		page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		checkPage(t, page, 2)
	}
}

func TestListOfNothing(t *testing.T) {
	for _, items := range []string{`[]`, `null`, ` [ ] `} {
		page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"5"},"items":`+items+`}`))
		if err != nil || len(page.Items) != 0 || page.ResourceVersion != "5" {
			t.Errorf("items %s: %+v, %v", items, page, err)
		}
	}
}

func TestListThatIsCutOffSaysSo(t *testing.T) {
	text := strings.TrimSpace(listOf(t, 2))
	for n := range len(text) {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text[:n]))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	broken := errors.New("connection reset by peer")
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), &body{Reader: io.MultiReader(strings.NewReader(text[:100]), failingReader{broken})})
	if !errors.Is(err, broken) {
		t.Errorf("a connection that breaks: %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestListThatIsNoListSaysWhatItIs(t *testing.T) {
	for text, want := range map[string]string{
		"<!DOCTYPE html><html><body>Sign in": "looks like a page of HTML",
		"\n  <html>":                         "looks like a page of HTML",
		"k8s\x00\n\x0f":                      "the answer is protobuf, not JSON",
		"upstream connect error":             "found `upstream connect error`, expected a list",
		`[1]`:                                "expected a list",
		`{"items":{}}`:                       "expected an array of items",
		`{"items":[1]}`:                      "expected an object",
		`{"items":[{}{}]}`:                   "expected a comma",
		`{"items":[{},]}`:                    "expected an object",
		`{"items":[]` + `"x"}`:               "expected a comma",
		`{1:2}`:                              "expected the name of a member",
		`{"items"[]}`:                        "expected a colon",
		`{"metadata":{"resourceVersion":1}}`: "expected the metadata of a list",
		`{"items":[],"metadata":{"resourceVersion":"1"}} {"items":[]}`: "expected the end of the list",
		`{"items":nul,"metadata":{}}`:                                  "expected the items of a list",
	} {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestListWithoutItemsIsNone(t *testing.T) {
	// Whoever took it for an empty list would delete all that there is.
	for _, text := range []string{
		`{}`, `{"error":"the backend is starting"}`, `{"kind":"WidgetList","metadata":{"resourceVersion":"1"}}`,
		textOf(t, newWidget(1)), `{"items":[],"items":[]}`, `{"kind":"Status","items":[],"items":[]}`,
	} {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
		if !errors.As(err, new(*SyntaxError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"status":5,"code":"x","items":[],"metadata":{"resourceVersion":"1"}}`))
	if err != nil || page.ResourceVersion != "1" {
		t.Errorf("members that mean nothing in a list: %v", err)
	}
	for _, item := range []string{`{}`, `{"metadata":{}}`, `{"metadata":{"namespace":"a"}}`} {
		for _, skip := range []bool{false, true} { // what has no name cannot be said to be skipped
			_, err := NewDecoder(reflect.TypeFor[*widget](), Options{SkipUndecodable: skip}, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+item+`]}`))
			if !errors.As(err, new(*DecodeError)) || !strings.Contains(err.Error(), "it has no metadata.name") {
				t.Errorf("%s: %v", item, err)
			}
		}
	}
}

func TestListReturnsTheStatusInItsPlace(t *testing.T) {
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"metadata":{},"status":"Failure","reason":"Expired","code":410,"kind":"Status"}`))
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("with its kind at the end: %v", err)
	}
	text := textOf(t, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   "Failure", Message: "no", Reason: metav1.StatusReasonForbidden, Code: 403,
		Details: &metav1.StatusDetails{Kind: "widgets"},
	})
	_, err = NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
	if !apierrors.IsForbidden(err) || err.Error() != "no" {
		t.Errorf("%v", err)
	}
}

func TestListNamesTheObjectThatCannotBeDecoded(t *testing.T) {
	all := texts(t, 300)
	all[200] = strings.Replace(all[200], `"name":"b"`, `"name":"b","count":"three"`, 1)
	text := `{"metadata":{"resourceVersion":"77","continue":"more"},"items":[` + strings.Join(all, ",") + `]}`
	check := func(t *testing.T, got *DecodeError) {
		t.Helper()
		if got.Namespace != "team-0" || got.Name != "widget-200" || got.UID != "uid-200" || got.ResourceVersion != "1200" ||
			got.Path != "/spec/parts/1/count" || !strings.Contains(got.Near, `"count":"three"`) {
			t.Errorf("%+v", got)
		}
		if want := "object team-0/widget-200 cannot be decoded at /spec/parts/1/count: "; !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v", got)
		}
	}
	t.Run("fails", func(t *testing.T) {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
		var got *DecodeError
		if !errors.As(err, &got) {
			t.Fatalf("%v", err)
		}
		check(t, got)
	})
	t.Run("skips", func(t *testing.T) {
		page, err := NewDecoder(reflect.TypeFor[*widget](), Options{SkipUndecodable: true}, nil).List(t.Context(), bodyOf(text))
		if err != nil || len(objectsOf(page)) != 299 || len(undecodableOf(page)) != 1 || objectsOf(page)[200].GetName() != "widget-201" {
			t.Fatalf("%v, %d items, %d undecodable", err, len(objectsOf(page)), len(undecodableOf(page)))
		}
		check(t, undecodableOf(page)[0])
	})
}

func TestListReadsNoFurtherThanTheFirstUndecodableObject(t *testing.T) {
	// The body never ends: only who stops reading returns.
	bad := `{"metadata":{"name":"bad"},"spec":5}`
	endless := io.MultiReader(strings.NewReader(`{"items":[`+bad), &repeating{text: []byte("," + textOf(t, newWidget(1)))})
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), &body{Reader: endless})
	var got *DecodeError
	if !errors.As(err, &got) || got.Name != "bad" || got.Path != "/spec" {
		t.Errorf("%v", err)
	}
}

type repeating struct {
	text []byte
	at   int
}

func (r *repeating) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.at:])
		n, r.at = n+c, (r.at+c)%len(r.text)
	}
	return n, nil
}

func TestListRefusesAnObjectAboveTheLimit(t *testing.T) {
	big := newWidget(7)
	big.Spec.Color = strings.Repeat("x", 300_000)
	text := `{"metadata":{"resourceVersion":"1"},"items":[` + textOf(t, newWidget(1)) + `,` + textOf(t, big) + `]}`
	if page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text)); err != nil || page.Items[1].Object.(*widget).Spec.Color != big.Spec.Color {
		t.Fatalf("%v", err)
	}
	for _, limit := range []int{2_000, 299_000, 300_000} {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{MaxObjectBytes: limit}, nil).List(t.Context(), bodyOf(text))
		var got *TooLargeError
		if !errors.As(err, &got) || got.Limit != limit || got.Namespace != "team-7" || got.Name != "widget-7" {
			t.Fatalf("limit %d: %v", limit, err)
		}
		if want := fmt.Sprintf("object team-7/widget-7 has more than %d bytes", limit); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	// What never ends is not held in memory.
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{MaxObjectBytes: 1 << 20}, nil).List(t.Context(), &body{Reader: io.MultiReader(strings.NewReader(`{"items":[{"a":"`), &repeating{text: []byte("x")})})
	var got *TooLargeError
	if !errors.As(err, &got) {
		t.Errorf("%v", err)
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	text := listOf(t, 300)
	read := newBlocked(text[:len(text)-100])
	failed := make(chan error)
	go func() {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(ctx, read)
		failed <- err
	}()
	cancel(why)
	if err := <-failed; err != why {
		t.Errorf("%v", err)
	}
	<-read.closed
}

func TestListTakesFromTheCacheWhatItHas(t *testing.T) {
	const n = 1000
	var held []*widget
	for i := range n {
		held = append(held, newWidget(i))
	}
	newer, other := newWidget(3), newWidget(4)
	newer.ResourceVersion = "2000"
	other.Spec.Color = "red" // at the same version
	all := texts(t, n)
	all[3], all[4] = textOf(t, newer), textOf(t, other)
	text := `{"metadata":{"resourceVersion":"1"},"items":[` + strings.Join(all, ",") + `]}`
	page, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, cachedOf(held...)).List(t.Context(), bodyOf(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range page.Items {
		if isHeld := i != 3 && i != 4; (got.Object == held[i]) != isHeld || got.Held != isHeld {
			t.Errorf("item %d: is the cached object: %v, held: %v", i, got.Object == held[i], got.Held)
		}
		if got.ContentHash != plan.ContentHash([]byte(all[i])) {
			t.Errorf("item %d: the hash is %x", i, got.ContentHash)
		}
	}
	if page.Items[3].Object.GetResourceVersion() != "2000" || page.Items[4].Object.(*widget).Spec.Color != "red" {
		t.Error("a new state was not decoded")
	}
}

// cachedOf is a cache of objects that were made of the texts that textOf makes.
func cachedOf(objs ...*widget) Cached {
	type state struct {
		namespace, name, resourceVersion string
		contentHash                      uint64
	}
	held := map[state]*widget{}
	for _, obj := range objs {
		text, err := json.Marshal(obj)
		if err != nil {
			panic(err)
		}
		held[state{obj.Namespace, obj.Name, obj.ResourceVersion, plan.ContentHash(text)}] = obj
	}
	return func(namespace, name, resourceVersion []byte, contentHash uint64) (Object, bool) {
		obj, ok := held[state{string(namespace), string(name), string(resourceVersion), contentHash}]
		return obj, ok
	}
}

// TestRelistAllocatesNextToNothing reads a list of which the cache has everything.
func TestRelistAllocatesNextToNothing(t *testing.T) {
	const n = 1000
	var held []*widget
	for i := range n {
		held = append(held, newWidget(i))
	}
	decoder := NewDecoder(reflect.TypeFor[*widget](), Options{}, cachedOf(held...))
	text := listOf(t, n)
	var page Page
	allocations := testing.AllocsPerRun(10, func() {
		var err error
		if page, err = decoder.List(t.Context(), bodyOf(text)); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > n/5 { // what there is is for each block of 64 KB
		t.Errorf("%v allocations for %d objects", allocations, n)
	}
	for i, item := range page.Items {
		if held[i] != item.Object || !item.Held {
			t.Fatalf("%s does not come from the cache", item.Object.GetName())
		}
	}
}

// TestListTellsUntypedItemsTheirKind: a list of a built-in kind has it once for all.
func TestListTellsUntypedItemsTheirKind(t *testing.T) {
	text := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}},{"kind":"Other","apiVersion":"x/v1","metadata":{"name":"b"}}, {} ]}`
	page, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{}, nil).List(t.Context(), bodyOf(strings.Replace(text, ", {} ", "", 1)))
	if err != nil || len(page.Items) != 2 {
		t.Fatal(err)
	}
	if got := page.Items[0].Object.GetObjectKind().GroupVersionKind().String() + " " + page.Items[1].Object.GetObjectKind().GroupVersionKind().String(); got != "/v1, Kind=Pod x/v1, Kind=Other" {
		t.Error(got)
	}
	if _, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{}, nil).List(t.Context(), bodyOf(text)); !errors.As(err, new(*DecodeError)) {
		t.Errorf("an item of nothing: %v", err)
	}
	_, err = NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(" "))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "the answer is empty") {
		t.Error(err)
	}
}
