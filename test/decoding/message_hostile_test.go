package decoding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// nested returns inner in fields of the numbers, the first one outermost, and those that
// repeat levels times inside of the others. It writes from the inside out.
func nested(inner []byte, levels int, outer, repeated []uint64) []byte {
	b := bytes.Clone(inner)
	slices.Reverse(b)
	wrap := func(number uint64) {
		head := binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|2), uint64(len(b)))
		slices.Reverse(head)
		b = append(b, head...)
	}
	for range levels {
		for _, number := range slices.Backward(repeated) {
			wrap(number)
		}
	}
	for _, number := range slices.Backward(outer) {
		wrap(number)
	}
	slices.Reverse(b)
	return b
}

// TestDeepMessages decodes messages that would end the program if the generated method got
// them: their depth is that of its stack.
func TestDeepMessages(t *testing.T) {
	k := kindOfType(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]())
	schema := []uint64{2, 7, 4, 1} // spec, versions, schema, openAPIV3Schema
	for name, repeated := range map[string][]uint64{
		"not": {28}, "allOf": {25}, "items": {24, 1}, "items as a list": {24, 2}, "properties": {29, 2},
		"additionalProperties": {30, 2}, "dependencies": {32, 2, 1},
	} {
		raw := nested(nil, 400/len(repeated), schema, repeated)
		if difference := k.messageDifference(raw); difference != "" {
			t.Errorf("%s, 400 levels: %.300s", name, difference)
		}
		if difference := k.messageDifference(nested(nil, 9_900/len(repeated), schema, repeated)); difference != "" {
			t.Errorf("%s, 9900 levels: %.300s", name, difference)
		}
		levels := 50_000
		if name == "not" {
			levels = 3_000_000
		}
		for what, raw := range map[string][]byte{
			"once":                   nested(nil, levels, schema, repeated),
			"after another value":    append(nested(nil, 3, schema, repeated), nested(nil, levels, schema, repeated)...),
			"before a broken end":    append(nested(nil, levels, schema, repeated), 0xFF),
			"around a broken schema": nested([]byte{28<<1 | 1}, levels, schema, repeated),
		} {
			_, err := k.ours(wrapped(raw))
			var decode *wire.DecodeError
			if !errors.As(err, &decode) || len(err.Error()) > 1500 || !strings.Contains(err.Error(), "more than 10000 messages") {
				t.Errorf("%s, %s: %.300v", name, what, err)
			}
		}
	}
}

// TestDeepGroups decodes groups, which no API has.
func TestDeepGroups(t *testing.T) {
	groups := func(levels int) []byte {
		return append(bytes.Repeat([]byte{9<<3 | 3}, levels), bytes.Repeat([]byte{9<<3 | 4}, levels)...)
	}
	k := kindOfType(reflect.TypeFor[corev1.Pod]())
	for name, at := range map[string][]uint64{
		"object": nil, "metadata": {1}, "time": {1, 8}, "fields": {1, 17, 7}, "quantity": {2, 32, 2}, "entry": {2, 32}, "volume source": {2, 1, 2},
	} {
		for _, levels := range []int{1, 500, 9_000} {
			if difference := k.messageDifference(nested(groups(levels), 0, at, nil)); difference != "" {
				t.Errorf("%s, %d levels: %.300s", name, levels, difference)
			}
		}
		// The method of the fields has a loop for groups.
		if _, err := k.ours(wrapped(nested(groups(100_000), 0, at, nil))); err == nil && name != "fields" {
			t.Errorf("%s: too many groups are taken", name)
		}
	}
}

// TestErrorsOfSecretMessagesHaveNoText breaks a Secret at each byte.
func TestErrorsOfSecretMessagesHaveNoText(t *testing.T) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Data:       map[string][]byte{"hush": []byte("hush!hush!")}, StringData: map[string]string{"hush": "hush!"}, Type: "hush",
	}
	k := kindOfType(reflect.TypeFor[corev1.Secret]())
	raw := k.message(t, secret)
	failures := 0
	for _, decode := range []func([]byte) error{
		func(text []byte) error { _, err := k.ours(text); return err },
		func(text []byte) error { // a view of another type
			_, err := wire.NewDecoder(reflect.TypeFor[*secretView](), wire.Options{Protobuf: &corev1.Secret{}, WithoutObjectTextInErrors: true}, nil).Decode(text)
			return err
		},
	} {
		for i := range raw {
			for bit := range 8 {
				broken := bytes.Clone(raw)
				broken[i] ^= 1 << bit
				for _, text := range [][]byte{wrapped(broken), wrapped(raw[:i]), wrapped(raw)[:i]} {
					err := decode(text)
					if err == nil {
						continue
					}
					failures++
					if state, ok := err.(*wire.DecodeError); ok { // whose name may be any text of a broken message
						err = &wire.DecodeError{Path: state.Path, Near: state.Near, Err: state.Err}
					}
					if strings.Contains(err.Error(), "hush") {
						t.Fatalf("byte %d, bit %d: %v", i, bit, err)
					}
				}
			}
		}
	}
	if failures < len(raw) {
		t.Errorf("%d errors for %d bytes", failures, len(raw))
	}
	_, err := wire.NewDecoder(reflect.TypeFor[*secretView](), wire.Options{Protobuf: &corev1.Secret{}, WithoutObjectTextInErrors: true}, nil).Decode(wrapped(raw))
	if want := "object a cannot be decoded at /type: a JSON string does not fit the Go type v1.Time"; err == nil || err.Error() != want {
		t.Errorf("the error of a view is %v, want %s", err, want)
	}
	_, err = k.ours(wrapped(append(raw, nested([]byte{1<<3 | 2, 4, 'h', 'u', 's', 'h', 2 << 3, 1}, 0, []uint64{2}, nil)...)))
	if want := "object a cannot be decoded at /data/*: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// secretView has a time where a Secret has a text, so that its error has the text.
type secretView struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Type metav1.Time `json:"type"`
}

func (v *secretView) DeepCopyObject() runtime.Object { panic("no test copies it") }

// TestMessageErrorsSayWhere breaks single fields of a Pod.
func TestMessageErrorsSayWhere(t *testing.T) {
	k := kindOfType(reflect.TypeFor[corev1.Pod]())
	name := delimitedField(1, joinMessage([]wireField{delimitedField(1, []byte("x"))}))
	wrong := []byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8} // a field 1 of 64 bits
	entry := func(key string, value wireField) []byte {
		return joinMessage([]wireField{delimitedField(1, []byte(key)), value})
	}
	for _, test := range []struct {
		path string
		raw  []byte
	}{
		{"", []byte{0x07}},
		{"", []byte{0x0C}},
		{"/metadata", nested([]byte{0x07}, 0, []uint64{1}, nil)},
		{"/metadata/name", nested(wrong, 0, []uint64{1}, nil)},
		{"/metadata/labels/a~1b", nested(entry("a/b", wireField{2, 0, []byte{1}}), 0, []uint64{1, 11}, nil)},
		{"/spec/containers/0/name", nested(wrong, 0, []uint64{2, 2}, nil)},
		{"/spec/containers/1/ports/0/name", nested(append([]byte{2<<3 | 2, 0}, nested(wrong, 0, []uint64{2, 6}, nil)...), 0, []uint64{2}, nil)},
		{"/spec/volumes/0/hostPath/path", nested(wrong, 0, []uint64{2, 1, 2, 1}, nil)},
		{"/spec/overhead/cpu", nested(entry("cpu", delimitedField(2, []byte{0x0A, 1, '?'})), 0, []uint64{2, 32}, nil)},
		{"/spec/containers/0/resources/limits/memory", nested(entry("memory", delimitedField(2, []byte{0x0A, 1, '?'})), 0, []uint64{2, 2, 8, 1}, nil)},
		{"/metadata/creationTimestamp", nested([]byte{0x0A, 0}, 0, []uint64{1, 8}, nil)},
		{"/metadata/finalizers/1", nested([]byte{14<<3 | 2, 1, 'a', 14 << 3, 1}, 0, []uint64{1}, nil)},
	} {
		raw := append(joinMessage([]wireField{name}), test.raw...)
		if _, err := k.theirMessage(raw); err == nil {
			t.Fatalf("%s: the message is right", test.path)
		}
		_, err := k.ours(wrapped(raw))
		var got *wire.DecodeError
		if !errors.As(err, &got) || got.Path != test.path || got.Name != "x" || got.Err == nil {
			t.Errorf("path %q: %v", test.path, err)
		}
	}
}
