package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// textPacker is a Packer that keeps objects as their names and texts.
type textPacker struct {
	needsObjects bool
	// refuses is set if PackText needs the object.
	refuses bool

	mu sync.Mutex // guards the numbers of calls
	// packed and checked are the calls of Pack and of PackText.
	packed, checked int
}

// kept has the names and the text of an object in a textPacker.
type kept struct {
	metav1.PartialObjectMetadata
	text string
}

func (p *textPacker) Pack(obj Object, text Text, _ bool) Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packed++
	return keptOf(obj, text)
}

func (p *textPacker) NeedsObjects() bool { return p.needsObjects }

func (p *textPacker) PackText(head Object, text Text) Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.checked++; p.refuses {
		return nil
	}
	return keptOf(head, text)
}

func (*textPacker) TypeOf(Object) reflect.Type { return nil }

func keptOf(head Object, text Text) *kept {
	k := &kept{text: string(text.Bytes)}
	k.Namespace, k.Name, k.UID, k.ResourceVersion = head.GetNamespace(), head.GetName(), head.GetUID(), head.GetResourceVersion()
	return k
}

// TestTextsAreChecked reads lists whose objects are only checked, and compares what is kept with that of decoded objects.
func TestTextsAreChecked(t *testing.T) {
	item := func(n int, rest string) string {
		return fmt.Sprintf(`{"metadata":{"namespace":"a","name":"w%d","uid":"u%[1]d","resourceVersion":"%[1]d"}%s}`, n, rest)
	}
	usual := []string{item(1, ""), item(2, `,"spec":{"color":"red","parts":[{"name":"x","count":1},{"name":"y"}],"needs":{"cpu":"1"},"extra":{"a":"1s"}}`)}
	for _, test := range []struct {
		what     string
		items    []string
		decoded  int // objects that the plan gives up on
		wantFail string
	}{
		{"usual", usual, 0, ""},
		{"the plan gives up", append(usual, item(3, `,"spec":{"size":1,"size":2}`), item(4, `,"spec":{"color":"\ud83d"}`)), 2, ""},
		{"another kind", append(usual, item(3, `,"kind":"Gadget","apiVersion":"example.com/v1"`)), 0, "Gadget"},
		{"a wrong value", append(usual, item(3, `,"spec":{"parts":[{"name":"x","count":"no number"}]}`)), 0, "/spec/parts/0/count"},
		{"a wrong quantity", append(usual, item(3, `,"spec":{"needs":{"cpu":"much"}}`)), 0, "/spec/needs/cpu"},
		{"no name", append(usual, `{"metadata":{"uid":"u","resourceVersion":"3"}}`), 0, "metadata.name"},
	} {
		for _, typ := range []reflect.Type{reflect.TypeFor[*widget](), reflect.TypeFor[*unstructured.Unstructured]()} {
			list := `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[` + strings.Join(test.items, ",") + `]}`
			read := func(p *textPacker) ([]string, error) {
				page, err := NewDecoder(typ, Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Packer: p}, nil).List(t.Context(), &body{Reader: strings.NewReader(list)})
				var all []string
				for _, i := range page.Items {
					all = append(all, fmt.Sprintf("%+v", i.Object))
				}
				return all, err
			}
			checking, refusing := &textPacker{}, &textPacker{refuses: true}
			want, wantErr := read(&textPacker{needsObjects: true})
			got, err := read(checking)
			if again, _ := read(refusing); !slices.Equal(again, want) || len(want) > 0 && refusing.packed != len(want) {
				t.Errorf("%v, %s: with a Packer that needs objects after all: %d are packed: %q\nwant %q", typ, test.what, refusing.packed, again, want)
			}
			if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%v, %s: checked: %q, %v\nwant %q, %v", typ, test.what, got, err, want, wantErr)
			}
			if typ == reflect.TypeFor[*widget]() {
				if wantErr == nil && (checking.packed != test.decoded || checking.checked != len(test.items)-test.decoded) {
					t.Errorf("%s: %d texts are checked and %d objects packed, want %d and %d", test.what, checking.checked, checking.packed, len(test.items)-test.decoded, test.decoded)
				}
				if (test.wantFail != "") != (err != nil) || err != nil && !strings.Contains(err.Error(), test.wantFail) {
					t.Errorf("%s: the error is %v", test.what, err)
				}
			}
		}
	}
}

// TestMessagesAreChecked is TestTextsAreChecked for protobuf.
func TestMessagesAreChecked(t *testing.T) {
	checking, decoding := &textPacker{}, &textPacker{needsObjects: true}
	var pages [2]Page
	for i, p := range []*textPacker{checking, decoding} {
		var err error
		if pages[i], err = newMetadataDecoder(Options{Packer: p}).List(t.Context(), &body{Reader: strings.NewReader(listInProtobuf(20))}); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(pages[0], pages[1]) || checking.checked != 20 || checking.packed != 0 || decoding.packed != 20 {
		t.Errorf("%d messages are checked and %d objects packed, want 20 and 0: %+v\nwant %+v", checking.checked, checking.packed, pages[0], pages[1])
	}
}
