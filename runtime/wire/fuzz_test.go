package wire

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// pieces reads text a few bytes at a time.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}

// FuzzBodies reads any bytes as a list and as a watch. Where the whole of a list is
// one that encoding/json could read, the items are the same; where it is not, or where
// an item has no name, there is an error. Nothing panics, and nothing is left behind.
func FuzzBodies(f *testing.F) {
	f.Add(`{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"size":3}}]}`, 7)
	f.Add(`{"type":"ADDED","object":{"metadata":{"name":"a"}}}`+"\n"+`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}`, 100)
	f.Add(`{"items":null,"kind":"WidgetList"}`, 1)
	f.Add(`{"extra":,"items":[],"metadata":{"resourceVersion":"1"}}`, 1)
	f.Add(`{"type":"ERROR","object":{"kind":"Pod"},"more":[tru]}`, 9)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = 1 + max(0, size)%5000
		decoder := NewDecoder(reflect.TypeFor[*widget](), Options{MaxObjectBytes: 1 << 16}, nil)
		page, err := decoder.List(t.Context(), &body{Reader: &pieces{text, size}})
		var want struct {
			Metadata metav1.ListMeta `json:"metadata"`
			Items    []*widget       `json:"items"`
		}
		if err == nil && (!json.Valid([]byte(text)) || page.ResourceVersion == "") {
			t.Errorf("an answer that is no list: %+v", page)
		}
		if wrong := plan.Unmarshal([]byte(text), &want); wrong == nil && err == nil {
			var items []*widget
			for _, obj := range objectsOf(page) {
				items = append(items, obj.(*widget))
			}
			if len(page.Items) != len(want.Items) || len(page.Items) > 0 && !reflect.DeepEqual(items, want.Items) {
				t.Errorf("items are\n%v\nwant\n%v", items, want.Items)
			}
			if page.ResourceVersion != want.Metadata.ResourceVersion {
				t.Errorf("version %q, want %q", page.ResourceVersion, want.Metadata.ResourceVersion)
			}
		} else if wrong == nil && !IsDecodeError(err) && !strings.Contains(text, "Status") {
			t.Errorf("%v", err)
		}
		stream := decoder.Watch(t.Context(), &body{Reader: &pieces{text, size}})
		for err = nil; err == nil; {
			var batch []Event
			batch, err = stream.Next(t.Context(), nil)
			for _, e := range batch {
				if isChange(e.Type) != (e.Object != nil) || e.Object == nil && e.Type != watch.Bookmark {
					t.Errorf("event %+v", e)
				}
			}
		}
		if err.Error() == "" {
			t.Errorf("an error without a message: %#v", err)
		}
		stream.Stop()
	})
}
