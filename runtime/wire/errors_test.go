package wire

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// oddText has what no terminal should get, in JSON.
const oddText = `\u001b[31m\n\u009b1m\u202e`

// checkText checks that an error is short, and fit for a terminal.
func checkText(t *testing.T, what string, err error) {
	t.Helper()
	text := err.Error()
	if len(text) > 10_000 {
		t.Errorf("%s: the error has %d bytes", what, len(text))
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 || !utf8.ValidString(text) {
		t.Errorf("%s: the error has %q in it", what, text[max(i, 0):min(len(text), max(i, 0)+20)])
	}
}

// TestErrorsAreShortAndPrintable reads bodies with odd or huge text in each place from
// where it may get into an error.
func TestErrorsAreShortAndPrintable(t *testing.T) {
	for _, odd := range []string{oddText, strings.Repeat("k", 1<<16), strings.Repeat(oddText, 1<<9), strings.Repeat(`\u4e16`, 1<<12)} {
		item := func(metadata, rest string) string {
			return fmt.Sprintf(`{"metadata":{"name":"a"%s},%s}`, metadata, rest)
		}
		items := map[string]string{
			"key":             item("", fmt.Sprintf(`"spec":{"needs":{"%s":[]}}`, odd)),
			"path of keys":    item("", fmt.Sprintf(`"spec":{"any":%s"x":{"%s":0}%s}`, strings.Repeat(`{"a":`, 10), odd, strings.Repeat("}", 10))+`,"kind":[]`),
			"quantity":        item("", fmt.Sprintf(`"spec":{"needs":{"cpu":"%s"}}`, odd)),
			"time":            item("", fmt.Sprintf(`"spec":{"parts":[{"since":"%s"}]}`, odd)),
			"number":          item("", `"spec":{"size":1`+strings.Repeat("0", len(odd))+`}`),
			"name":            fmt.Sprintf(`{"metadata":{"name":"%s","namespace":"b"},"spec":5}`, odd),
			"namespace":       item(fmt.Sprintf(`,"namespace":"%s"`, odd), `"spec":5`),
			"uid":             item(fmt.Sprintf(`,"uid":"%s"`, odd), `"spec":5`),
			"resourceVersion": item(fmt.Sprintf(`,"resourceVersion":"%s"`, odd), `"spec":5`),
			"syntax":          item("", fmt.Sprintf(`"spec":{"color":"%s" 5}`, odd)),
			"kind":            item("", fmt.Sprintf(`"kind":"%s"`, odd)),
			"apiVersion":      item("", fmt.Sprintf(`"apiVersion":"%s/v1"`, odd)),
		}
		for what, text := range items {
			for _, hide := range []bool{false, true} {
				options := Options{Kind: schema.GroupKind{Kind: "Widget"}, WithoutObjectTextInErrors: hide}
				_, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+text+`]}`))
				var got *DecodeError
				if !errors.As(err, &got) {
					t.Errorf("%s: %v", what, err)
					continue
				}
				checkText(t, what, err)
				if size := len(got.Namespace) + len(got.Name) + len(got.UID) + len(got.ResourceVersion) + len(got.Path) + len(got.Near) + len(got.Err.Error()); size > 8<<10 {
					t.Errorf("%s: %d bytes are held", what, size)
				}
				if len(got.Path) > maxPathBytes+len("…") || !utf8.ValidString(got.Path) {
					t.Errorf("%s: the path is %q", what, got.Path)
				}
				_, err = readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), bodyOf(eventOf("ADDED", text))))
				checkText(t, what, err)
			}
		}
		for what, text := range map[string]string{
			"list's kind":       fmt.Sprintf(`{"kind":"%s"}`, odd),
			"list's version":    fmt.Sprintf(`{"kind":"%s","items":[]}`, odd),
			"another kind":      fmt.Sprintf(`{"kind":"%s","apiVersion":"%[1]s/%[1]s","items":[],"metadata":{"resourceVersion":"1"}}`, odd),
			"list's metadata":   fmt.Sprintf(`{"items":[],"metadata":"%s"}`, odd),
			"list's number":     `{"items":[],"metadata":{"remainingItemCount":1` + strings.Repeat("0", len(odd)) + `}}`,
			"something else":    fmt.Sprintf(`"%s"`, odd),
			"a Status":          fmt.Sprintf(`{"kind":"Status","message":"%s","reason":"%[1]s","details":{"name":"%[1]s","causes":[{"message":"%[1]s","field":"%[1]s"}]}}`, odd),
			"a Status in short": fmt.Sprintf(`{"kind":"Status","reason":"%s"}`, odd),
		} {
			_, err := NewDecoder(reflect.TypeFor[*widget](), Options{Kind: schema.GroupKind{Kind: "Widget"}}, nil).List(t.Context(), bodyOf(text))
			if err == nil {
				t.Errorf("%s: no error", what)
				continue
			}
			checkText(t, what, err)
			if status := apierrors.APIStatus(nil); errors.As(err, &status) {
				if held := textOf(t, status.Status()); len(held) > 20<<10 {
					t.Errorf("%s: %d bytes are held", what, len(held))
				}
			}
			_, err = readAll(t, NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Watch(t.Context(), bodyOf(eventOf("ERROR", text))))
			checkText(t, what, err)
		}
		for what, text := range map[string]string{
			"type of an event": fmt.Sprintf(`{"type":"%s","object":{}}`, odd),
			"bookmark":         eventOf("BOOKMARK", fmt.Sprintf(`{"metadata":"%s"}`, odd)),
		} {
			_, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Watch(t.Context(), bodyOf(text)))
			checkText(t, what, err)
		}
	}
}

// TestErrorsEscapeWhatIsNotEscapedInTheBody has odd characters in the body as they are.
func TestErrorsEscapeWhatIsNotEscapedInTheBody(t *testing.T) {
	const odd = "\u009b31m\u202e\u2028\ufeff"
	for _, kind := range []string{"", `"kind":"Widget","spec":"` + odd + `",`} {
		text := []byte(`{` + kind + `"metadata":{"name":"` + odd + `","labels":{"` + odd + `":[]}}}`)
		if _, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{}, nil).Decode(text); kind == "" {
			checkText(t, "untyped", err)
		}
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Decode(text)
		checkText(t, "typed", err)
		_, err = NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(`{"items":`+odd+`}`))
		checkText(t, "a list", err)
		_, err = NewDecoder(reflect.TypeFor[*widget](), Options{MaxObjectBytes: 20}, nil).List(t.Context(), bodyOf(`{"items":[`+string(text)+`]}`))
		checkText(t, "a large object", err)
	}
}

// TestStatusKeepsWhatCountsOfIt checks that what is bounded is still of use.
func TestStatusKeepsWhatCountsOfIt(t *testing.T) {
	text := `{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"a\nb","details":{"retryAfterSeconds":7,"causes":[{"reason":"ClientWatchDecoding","message":"x"}]}}`
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !apierrors.IsResourceExpired(err) || !ok || seconds != 7 || !apierrors.HasStatusCause(err, "ClientWatchDecoding") || err.Error() != `a\nb` {
		t.Errorf("%v", err)
	}
}

// credential is a Secret, as far as its kind tells.
type credential = widget

// TestErrorsWithoutTextOfObjects looks for a marker that is in each value and key.
func TestErrorsWithoutTextOfObjects(t *testing.T) {
	bodies := map[string]string{}
	for what, rest := range map[string]string{
		"string for a number":  `"spec":{"color":"hush","size":"hush"}`,
		"value of a map":       `"metadata":{"name":"a","labels":{"hush":["hush"]}}`,
		"quantity":             `"spec":{"needs":{"hush":"hush"}}`,
		"duration":             `"spec":{"extra":{"hush":"hush"}}`,
		"time":                 `"spec":{"parts":[{"since":"hush"}]}`,
		"number":               `"spec":{"size":4711471147114711}`,
		"syntax":               `"spec":{"color":"hush","needs":{"hush":hush}}`,
		"syntax in a map":      `"metadata":{"name":"a","annotations":{"hush":"hush\x"}}`,
		"end of an object":     `"spec":{"color":"hush"]`,
		"control character":    `"spec":{"color":"hush` + "\x01" + `hush"}`,
		"unknown and a number": `"hush":"hush","kind":4711`,
	} {
		bodies[what] = `{"metadata":{"name":"a"},` + rest + `}`
	}
	secret := schema.GroupKind{Kind: "Secret"}
	check := func(what string, err error) {
		t.Helper()
		if err == nil || err == io.EOF {
			t.Errorf("%s: %v", what, err)
			return
		}
		texts := []string{err.Error()}
		var decode *DecodeError
		if errors.As(err, &decode) {
			texts = append(texts, decode.Path, decode.Near, decode.Err.Error(), fmt.Sprintf("%#v", decode.Err))
		}
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			texts = append(texts, inner.Error(), fmt.Sprintf("%+v", inner))
		}
		for _, text := range texts {
			if strings.Contains(text, "hush") || strings.Contains(text, "4711") {
				t.Errorf("%s: %s", what, text)
			}
		}
	}
	for what, text := range bodies {
		for _, options := range []Options{{WithoutObjectTextInErrors: true}, {Kind: secret}, {Kind: secret, WithoutFields: []string{"metadata.managedFields"}}} {
			_, err := NewDecoder(reflect.TypeFor[*credential](), options, nil).Decode([]byte(text))
			check(what, err)
			_, err = NewDecoder(reflect.TypeFor[*credential](), options, nil).List(t.Context(), bodyOf(`{"items":[`+text+`],"metadata":{"resourceVersion":"1"}}`))
			check(what+", list", err)
			_, err = readAll(t, NewDecoder(reflect.TypeFor[*credential](), options, nil).Watch(t.Context(), bodyOf(eventOf("ADDED", text))))
			check(what+", watch", err)
			_, err = NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), options, nil).Decode([]byte(text))
			check(what+", untyped", err)
		}
		_, shown := NewDecoder(reflect.TypeFor[*credential](), Options{}, nil).Decode([]byte(text))
		_, hidden := NewDecoder(reflect.TypeFor[*credential](), Options{WithoutObjectTextInErrors: true}, nil).Decode([]byte(text))
		without := WithoutObjectText(fmt.Errorf("hush: %w", shown))
		if check(what+", without text", without); without.Error() != hidden.Error() {
			t.Errorf("%s: %v, want %v", what, without, hidden)
		}
		if _, err := NewDecoder(reflect.TypeFor[*credential](), Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Secret"}}, nil).Decode([]byte(text)); strings.Contains(err.Error(), "without") {
			t.Errorf("%s: %v", what, err)
		}
	}
	const large = `{"metadata":{"name":"a"},"spec":{"color":"hush hush hush"}}`
	for what, text := range map[string]string{
		"too large":      `{"items":[` + large + `]}`,
		"not a list":     `{"items":[{"metadata":{"name":"a"}} "hush"]}`,
		"no object":      `{"items":["hush"]}`,
		"another answer": `"hush"`,
	} {
		_, err := NewDecoder(reflect.TypeFor[*credential](), Options{Kind: secret, MaxObjectBytes: 50}, nil).List(t.Context(), bodyOf(text))
		check(what, err)
	}
	for what, text := range map[string]string{
		"event of nothing": `{"type":"ADDED","objet":"hush"}`, "no event": `"hush"`, "large event": eventOf("ADDED", large),
	} {
		_, err := readAll(t, NewDecoder(reflect.TypeFor[*credential](), Options{Kind: secret, MaxObjectBytes: 50}, nil).Watch(t.Context(), bodyOf(text)))
		check(what, err)
	}
	for what, err := range map[string]error{
		"syntax":         &SyntaxError{Near: "hush"},
		"size":           &TooLargeError{Limit: 5, Name: "a", Begin: "hush"},
		"skipped":        &DecodeError{Name: "a", Err: &TooLargeError{Limit: 5, Name: "a", Begin: "hush"}},
		"another source": &DecodeError{Name: "a", Path: "/hush", Near: "hush", Err: errors.New("hush")},
		"kind":           &KindError{Got: schema.GroupKind{Kind: "Foo"}},
	} {
		check(what, WithoutObjectText(fmt.Errorf("hush: %w", err)))
	}
	if got := WithoutObjectText(errors.New("hush")); got != nil {
		t.Errorf("an unknown error becomes %v", got)
	}
	_, err := NewDecoder(reflect.TypeFor[*credential](), Options{Kind: secret}, nil).List(t.Context(), bodyOf("<html>hush"))
	if check("a page of HTML", err); !strings.Contains(err.Error(), "looks like a page of HTML") {
		t.Error(err)
	}
	// What is left says where and what.
	_, err = NewDecoder(reflect.TypeFor[*credential](), Options{Kind: secret}, nil).Decode([]byte(`{"metadata":{"name":"a"},"spec":{"needs":{"hush":["hush"]}}}`))
	if want := "object a cannot be decoded at /spec/needs/*: a JSON array does not fit the Go type resource.Quantity"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
