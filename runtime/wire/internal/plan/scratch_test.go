package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// secretive resembles a Secret and a ConfigMap.
type secretive struct {
	Kind       string            `json:"kind"`
	Data       map[string][]byte `json:"data"`
	StringData map[string]string `json:"stringData"`
	Spec       struct {
		Template struct {
			Data  map[string]string `json:"data"`
			Other string            `json:"other"`
		} `json:"template"`
	} `json:"spec"`
}

// held returns the strings of its tables that have part in them.
func (s *scratch) held(part string) (found []string) {
	for _, text := range s.Held() {
		if strings.Contains(text, part) {
			found = append(found, text)
		}
	}
	return found
}

func decodeWith(t *testing.T, s *scratch, typ reflect.Type, text string) {
	t.Helper()
	if For(typ, nil).decode(s, []byte(text), memory.SlotOf(reflect.New(typ))) == gaveUp {
		t.Fatalf("%s is not decoded by the plan", text)
	}
}

func TestStringsOfDeletedObjectsAreForgotten(t *testing.T) {
	text := func(i int, text string) string {
		return fmt.Sprintf(`{"kind":"Widget","metadata":{"name":"%s-%d","labels":{"%[1]s":"%[1]s"}},"spec":{"color":"common","phase":"%[1]s"}}`, text, i)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[widget](), reflect.TypeFor[unstructured.Unstructured]()} {
		s := &scratch{}
		now := time.Now()
		s.Age(now)
		decodeWith(t, s, typ, text(1, "deleted"))
		for i := range 150 { // one object a second, for two and a half minutes
			s.Age(now.Add(time.Duration(i) * time.Second))
			decodeWith(t, s, typ, text(i, "live"))
			if held := s.held("deleted"); i < 59 && len(held) == 0 {
				t.Fatalf("%v: nothing is remembered", typ)
			}
		}
		if held := s.held("deleted"); len(held) > 0 {
			t.Errorf("%v: %q is remembered", typ, held)
		}
		if held := s.held("common"); len(held) != 1 {
			t.Errorf("%v: a string that is in each object is remembered as %q", typ, held)
		}
		s.Age(now.Add(-time.Hour)) // a clock that was set back
		s.Age(now.Add(-time.Hour + memory.AgeEvery))
		if held := s.held(""); strings.Join(held, "") != "" {
			t.Errorf("%v: %q are remembered", typ, held)
		}
	}
}

// TestScratchesAge checks that decoders make them age.
func TestScratchesAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := takeScratch()
		began := s.AgedAt()
		s.release()
		time.Sleep(memory.AgeEvery)
		if s = takeScratch(); s.AgedAt().Equal(began) || time.Since(s.AgedAt()) != 0 {
			t.Errorf("%v", s.AgedAt())
		}
		s.release()
	})
}

func TestSecretsAreNotRemembered(t *testing.T) {
	const text = `{"kind":"Secret","apiVersion":"v1","data":{"hush-key":"aHVzaA=="},"stringData":{"hush-key":"hush","e":"\u0068ush"},"spec":{"template":{"data":{"hush-key":"hush"},"other":"loud"}}}`
	for _, typ := range []reflect.Type{reflect.TypeFor[secretive](), reflect.TypeFor[unstructured.Unstructured]()} {
		s := &scratch{}
		decodeWith(t, s, typ, text)
		for _, part := range []string{"hush", "aHVzaA=="} {
			if held := s.held(part); len(held) > 0 {
				t.Errorf("%v: %q is remembered", typ, held)
			}
		}
		if held := s.held("loud"); len(held) != 1 || s.Private != 0 {
			t.Errorf("%v: after them, %q is remembered", typ, held)
		}
	}
}

// TestMemoryThatIsUsedAgainIsCleared looks at the memory that decoders leave behind.
func TestMemoryThatIsUsedAgainIsCleared(t *testing.T) {
	s := &scratch{}
	decodeWith(t, s, reflect.TypeFor[widget](), `{"spec":{"color":"`+strings.Repeat(`secret\n`, 1000)+`","parts":[{"name":"\n"}]}}`)
	s.release()
	if text := string(s.unquoted[:cap(s.unquoted)]); strings.Trim(text, "\x00") != "" {
		t.Errorf("a scratch holds %.100q", text)
	}
}
