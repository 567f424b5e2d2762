package memory

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

func TestStringsShareMemory(t *testing.T) {
	for _, test := range []struct {
		text   string
		shared bool
	}{{"a", true}, {strings.Repeat("x", rememberedBytes), true}, {strings.Repeat("x", rememberedBytes+1), false}} {
		var s Strings
		raw := []byte(test.text)
		first, second := s.String(raw), s.String([]byte(test.text))
		clear(raw)
		if first != test.text || second != test.text {
			t.Fatalf("%q became %q and %q", test.text, first, second)
		}
		if shared := unsafe.StringData(first) == unsafe.StringData(second); shared != test.shared {
			t.Errorf("%d bytes are shared: %v", len(test.text), shared)
		}
		if boxed := s.Boxed([]byte(test.text)); boxed != any(test.text) {
			t.Errorf("boxed: %q", boxed)
		}
	}
	var s Strings
	if s.String(nil) != "" || s.Boxed(nil) != any("") || len(s.Held()) != 0 {
		t.Errorf("an empty text is held as %q", s.Held())
	}
}

func TestPrivateStringsAreNotRemembered(t *testing.T) {
	s := Strings{Private: 1}
	if s.String([]byte("hush")) != "hush" || s.Boxed([]byte("hush")) != any("hush") {
		t.Error("another text")
	}
	s.Private--
	s.String([]byte("loud"))
	if held := s.Held(); !slices.Equal(held, []string{"loud"}) {
		t.Errorf("%q are remembered", held)
	}
	for name, want := range map[string]bool{"data": true, "stringData": true, "Data": false, "spec": false, "": false} {
		if IsPrivate(name) != want {
			t.Errorf("%q is private: %v", name, !want)
		}
	}
}

func TestStringsAreForgotten(t *testing.T) {
	var s Strings
	now := time.Now()
	s.Age(now)
	s.String([]byte("deleted"))
	s.Boxed([]byte("deleted too"))
	for i := range 130 {
		s.Age(now.Add(time.Duration(i) * time.Second))
		s.String([]byte("live"))
		s.Boxed([]byte("live too"))
		if held := s.Held(); i < 59 && len(held) != 4 {
			t.Fatalf("after %d seconds, %q are remembered", i, held)
		}
	}
	held := s.Held()
	slices.Sort(held)
	if !slices.Equal(held, []string{"live", "live too"}) {
		t.Errorf("%q are remembered", held)
	}
	s.Age(now.Add(-time.Hour)) // a clock that was set back
	if !s.AgedAt().Equal(now.Add(-time.Hour)) {
		t.Errorf("aged at %v", s.AgedAt())
	}
	s.Age(now.Add(-time.Hour + AgeEvery))
	if held := s.Held(); len(held) > 0 {
		t.Errorf("%q are remembered", held)
	}
}

// TestStringsOfOneSlotReplaceEachOther uses many more strings than there are slots.
func TestStringsOfOneSlotReplaceEachOther(t *testing.T) {
	var s Strings
	for i := range 20_000 {
		text := strings.Repeat(string(rune('a'+i%26)), i%60+1) + string(rune('0'+i%10))
		if got := s.String([]byte(text)); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if got := s.Boxed([]byte(text)); got != any(text) {
			t.Fatalf("%q became %q", text, got)
		}
	}
	if n := len(s.Held()); n > 2<<rememberedBits {
		t.Errorf("%d strings are remembered", n)
	}
}
