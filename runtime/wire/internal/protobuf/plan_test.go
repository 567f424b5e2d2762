package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// marshaled returns the message of a sample.
func marshaled(t testing.TB, sample generated) []byte {
	t.Helper()
	message, err := sample.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// TestSamplesAreDecodedByThePlan decodes what servers write.
func TestSamplesAreDecodedByThePlan(t *testing.T) {
	for _, sample := range samples {
		message := marshaled(t, sample)
		if _, ok := planOf(sample).Decode(message, 0); !ok {
			t.Errorf("%T: the plan gives up", sample)
		}
		if wrong := difference(sample, message); wrong != "" {
			t.Error(wrong)
		}
	}
}

// TestBrokenSamples changes each byte, and cuts and repeats the message there.
func TestBrokenSamples(t *testing.T) {
	for _, sample := range samples {
		message := marshaled(t, sample)
		for i := range message {
			changed := [][]byte{message[:i], message[i:], append(bytes.Clone(message), message[i:]...)}
			for _, b := range []byte{0, 1, 0x07, 0x0B, 0x0C, 0x7F, 0x80, 0xFF, message[i] ^ 1, message[i] ^ 2, message[i] + 1, message[i] - 1} {
				other := bytes.Clone(message)
				other[i] = b
				changed = append(changed, other)
			}
			for _, insert := range [][]byte{{0x80}, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1}, {0x7B, 0x08, 1, 0x7C}, {0x7A, 0}, {0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 1}} {
				changed = append(changed, append(append(bytes.Clone(message[:i]), insert...), message[i:]...))
			}
			for _, message := range changed {
				if wrong := difference(sample, message); wrong != "" {
					t.Fatalf("byte %d: %s\n%q", i, wrong, message)
				}
			}
		}
	}
}

// FuzzDecode takes the type from the first byte.
func FuzzDecode(f *testing.F) {
	for i, sample := range samples {
		f.Add(append([]byte{byte(i)}, marshaled(f, sample)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			if wrong := difference(samples[int(data[0])%len(samples)], data[1:]); wrong != "" {
				t.Error(wrong)
			}
		}
	})
}

// TestLexerReadsLikeGeneratedCode compares it with loops of generated code.
func TestLexerReadsLikeGeneratedCode(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	accepted := 0
	for range 200_000 {
		b := make([]byte, r.Intn(24))
		for i := range b {
			b[i] = []byte{0, 1, 2, 3, 5, 8, 0x0A, 0x0B, 0x0C, 0x0D, 0x7F, 0x80, 0x81, 0xFF, byte(r.Intn(256))}[r.Intn(15)]
		}
		want, n := naiveVarint(b)
		if v, end := readVarint(b, 0); end != n || end >= 0 && v != want {
			t.Fatalf("%x: the integer %d of %d bytes, want %d of %d", b, v, end, want, n)
		}
		if std, m := binary.Uvarint(b); m > 0 && (std != want || m != n) {
			t.Fatalf("%x: the model reads %d, encoding/binary %d", b, want, std)
		}
		content, n, err := naiveContent(2, b)
		if start, end := readContent(b, 0); (end == gaveUp) != (err != nil) || end != gaveUp && (end != n || !bytes.Equal(b[start:end], content)) {
			t.Fatalf("%x: content from %d to %d, want %d bytes, %v", b, start, end, n, err)
		}
		tag, value := readVarint(b, 0)
		if value == gaveUp {
			continue
		}
		n = naiveSkip(b)
		if n > len(b) {
			n = gaveUp
		}
		if tag&7 == endGroup {
			continue // its caller refuses it
		}
		end, deepest := skipAny(b, value, tag)
		if end != n || deepest > len(b) || tag&7 == startGroup != (deepest > 0) {
			t.Fatalf("%x: skipped to %d, want %d", b, end, n)
		}
		if plain := skip(b, value, tag); plain != end && tag&7 != startGroup {
			t.Fatalf("%x: skip has %d, skipAny %d", b, plain, end)
		}
		if end != gaveUp {
			accepted++
		}
	}
	if accepted < 10_000 {
		t.Errorf("only %d values were right", accepted)
	}
}

func TestTagsHaveNumbers(t *testing.T) {
	for tag, want := range map[uint64]bool{0: false, 7: false, 8: true, 10: true, maxTag: true, maxTag + 1: false, 1 << 35: false, math.MaxUint64: false} {
		for _, pad := range []string{"", "\x80\x00"} {
			b := binary.AppendUvarint(nil, tag)
			if pad != "" && len(b) < 9 {
				b[len(b)-1] |= 0x80
				b = append(b, pad...)
			}
			if got, end := readTag(b, 0); (end == len(b)) != want || want && got != tag {
				t.Errorf("tag %d in %d bytes: %d, %d", tag, len(b), got, end)
			}
		}
	}
}

// deep returns inner inside of levels messages, for which wrap returns a field.
func deep(levels int, numbers ...uint64) []byte {
	var b []byte
	add := func(number uint64) {
		head := binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|2), uint64(len(b)))
		for i := range head {
			b = append(b, head[len(head)-1-i])
		}
	}
	for i := range levels {
		add(numbers[len(numbers)-1-i%len(numbers)])
	}
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

// TestDeepMessagesDoNotReachTheMethod is about messages that would overflow its stack.
func TestDeepMessagesDoNotReachTheMethod(t *testing.T) {
	for name, numbers := range map[string][]uint64{"pointer": {2}, "map": {4, 2}, "slice with a method": {3, 1}, "both": {2, 3, 1}} {
		for _, levels := range []int{6, 300, 3_000, 60_000, 600_000} {
			message := deep(levels*len(numbers), numbers...)
			for what, message := range map[string][]byte{
				"alone": message, "after a pack that ends late": append([]byte{5<<3 | 2, 1, 0x80, 0x01}, message...), "after others": append(deep(5, 2), message...),
			} {
				deepestTree = 0
				_, err := planOf(&tree{}).Unmarshal(message)
				if _, ok := planOf(&tree{}).Decode(message, 0); ok && levels > 3_000 {
					t.Errorf("%s, %d levels, %s: decoded by the plan", name, levels, what)
				}
				if refused := errors.Is(err, errTooDeep); refused != (levels > maxNested) || !refused && err != nil {
					t.Errorf("%s, %d levels, %s: %v", name, levels, what, err)
				}
				if deepestTree > 2*maxNested {
					t.Errorf("%s, %d levels, %s: the method was called %d levels deep", name, levels, what, deepestTree)
				}
			}
		}
	}
	groups := bytes.Repeat([]byte{0x7B}, 100_000)
	for what, message := range map[string][]byte{"object": groups, "pointer": delimit(2, groups), "entry": delimit(4, groups), "value": delimit(4, delimit(2, groups)), "method": delimit(3, groups)} {
		if _, err := planOf(&tree{}).Unmarshal(message); !errors.Is(err, errTooDeep) {
			t.Errorf("groups in %s: %v", what, err)
		}
	}
}

// TestFaultsHavePaths breaks one field of a tree each.
func TestFaultsHavePaths(t *testing.T) {
	wrong := []byte{1<<3 | 1, 0, 0, 0, 0, 0, 0, 0, 0}
	entry := func(value ...byte) []byte { return delimit(4, append(delimit(1, []byte("a/b~\xff")), value...)) }
	for _, test := range []struct {
		message      []byte
		path, hidden string
	}{
		{wrong, "/name", "/name"},
		{delimit(2, wrong), "/left/name", "/left/name"},
		{delimit(2, delimit(2, []byte{5<<3 | 5, 0, 0, 0, 0})), "/left/left/numbers/0", "/left/left/numbers/0"},
		{[]byte{5 << 3, 1, 5 << 3, 1, 5<<3 | 1}, "/numbers/2", "/numbers/2"},
		{[]byte{5<<3 | 2, 1, 0x80}, "/numbers/0", "/numbers/0"},
		{entry(delimit(2, wrong)...), "/named/a~1b~0\ufffd/name", "/named/*/name"},
		{entry(0x12, 0x7F), "/named/a~1b~0\ufffd", "/named/*"},
		{[]byte{4 << 3, 1}, "/named", "/named"},
		{delimit(3, delimit(1, wrong)), "/forest", "/forest"},
		{[]byte{6 << 3, 1}, "/double", "/double"},
		{[]byte{7<<3 | 5, 1, 2}, "/float", "/float"},
		{append(delimit(2, nil), 0x0C), "", ""},
		{[]byte{2<<3 | 2, 0xFF}, "/left", "/left"},
		{[]byte{0}, "", ""},
	} {
		p := planOf(&tree{})
		_, err := p.Unmarshal(test.message)
		if err == nil {
			t.Fatalf("%x is no fault", test.message)
		}
		f := p.Fault(test.message, err)
		path, hidden := f.Path(false, 200), f.Path(true, 200)
		if test.path == "/forest" { // the walker looks into it
			path, hidden = path[:len("/forest")], hidden[:len("/forest")]
		}
		if path != test.path || hidden != test.hidden || f.HiddenErr() != f.Err {
			t.Errorf("%x: %q and %q, want %q and %q: %v", test.message, path, hidden, test.path, test.hidden, f.Err)
		}
	}
	message := delimit(4, delimit(1, []byte(strings.Repeat("long", 1000))))
	f := planOf(&tree{}).Fault(append(message[:len(message)-1:len(message)-1], 'g', 0x22, 0x03, 0x12, 0x01, 0x07), errBroken)
	if path := f.Path(false, 100); len(path) > 100+len("…") {
		t.Errorf("%q", path)
	}
}

// secretive resembles a Secret and a ConfigMap.
type secretive struct {
	Data       map[string][]byte `json:"data" protobuf:"bytes,1,rep,name=data"`
	StringData map[string]string `json:"stringData" protobuf:"bytes,2,rep,name=stringData"`
	Inner      *secretive        `json:"inner" protobuf:"bytes,3,opt,name=inner"`
	Other      string            `json:"other" protobuf:"bytes,4,opt,name=other"`
}

// held returns the strings that a scratch remembers and that have part in them.
func held(s *scratch, part string) (found []string) {
	for _, text := range s.Held() {
		if strings.Contains(text, part) {
			found = append(found, text)
		}
	}
	return found
}

func decodeWith(t *testing.T, s *scratch, typ reflect.Type, message []byte) {
	t.Helper()
	if For(typ, typ, nil).root.body(s, message, 0, memory.SlotOf(reflect.New(typ))) == gaveUp {
		t.Fatalf("%q is not decoded by the plan", message)
	}
}

func TestSecretsAreNotRemembered(t *testing.T) {
	entry := append(delimit(1, []byte("hush-key")), delimit(2, []byte("hush"))...)
	inner := append(delimit(2, entry), delimit(4, []byte("loud"))...)
	message := bytes.Join([][]byte{delimit(1, entry), delimit(2, entry), delimit(3, inner), delimit(4, []byte("loud too"))}, nil)
	s := &scratch{}
	decodeWith(t, s, reflect.TypeFor[secretive](), message)
	if found := held(s, "hush"); len(found) > 0 {
		t.Errorf("%q are remembered", found)
	}
	if found := held(s, "loud"); len(found) != 2 || s.Private != 0 {
		t.Errorf("after them, %q are remembered", found)
	}
	checking := &scratch{}
	checking.Discard = true
	decodeWith(t, checking, reflect.TypeFor[secretive](), message)
	if left := checking.discarded[len(checking.discarded)-1]; !left.Elem().IsZero() || len(checking.Held()) > 0 {
		t.Errorf("%+v and %q are remembered after a check", left.Elem(), checking.Held())
	}
}

func TestStringsOfDeletedObjectsAreForgotten(t *testing.T) {
	message := func(text string) []byte {
		return marshaled(t, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: text, Labels: map[string]string{text + "-key": text + "-value"}, Finalizers: []string{text + "-finalizer", "common"},
		}})
	}
	s, typ, now := &scratch{}, reflect.TypeFor[metav1.PartialObjectMetadata](), time.Now()
	s.Age(now)
	decodeWith(t, s, typ, message("deleted"))
	for i := range 150 {
		s.Age(now.Add(time.Duration(i) * time.Second))
		decodeWith(t, s, typ, message("live"))
		if found := held(s, "deleted"); i < 59 && len(found) == 0 {
			t.Fatal("nothing is remembered")
		}
	}
	if found := held(s, "deleted"); len(found) > 0 {
		t.Errorf("%q are remembered", found)
	}
	if found := held(s, "common"); len(found) != 1 {
		t.Errorf("a string that is in each object is remembered as %q", found)
	}
	for i, m := range s.made {
		if m.value.IsValid() && !m.value.IsNil() {
			t.Errorf("the slice %d of a scratch is held", i)
		}
	}
}

// TestScratchesAge checks that decoders make them age.
func TestScratchesAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := takeScratch()
		began := s.AgedAt()
		s.depth, s.Private = 3, 4 // as a decoder leaves them that gave up
		scratches.Put(s)
		time.Sleep(memory.AgeEvery)
		if s = takeScratch(); s.AgedAt().Equal(began) || time.Since(s.AgedAt()) != 0 || s.depth != 0 || s.Private != 0 {
			t.Errorf("%v, %d, %d", s.AgedAt(), s.depth, s.Private)
		}
	})
}

// TestViewsAndOmissions decodes parts of an object.
func TestViewsAndOmissions(t *testing.T) {
	type view struct {
		Numbers []int32 `json:"numbers"`
		Left    *struct {
			Name  string          `json:"name"`
			Named map[string]tree `json:"named"`
		} `json:"left"`
	}
	type odd struct {
		Numbers []int64 `json:"numbers"`
	}
	message := marshaled(t, &tree{Numbers: []int32{1, 2}, Left: &tree{Name: "l", Named: map[string]tree{"a": {Name: "x"}}}, Forest: forest{{}}})
	whole := reflect.TypeFor[tree]()
	p := For(reflect.TypeFor[view](), whole, nil)
	got, ok := p.Decode(message, 0)
	if v, _ := got.(*view); !ok || !p.IsUsable() || !reflect.DeepEqual(v.Numbers, []int32{1, 2}) || v.Left.Name != "l" || v.Left.Named["a"].Name != "x" {
		t.Errorf("%+v, %v, usable: %v", got, ok, p.IsUsable())
	}
	p = For(reflect.TypeFor[odd](), whole, nil)
	if _, ok := p.Decode(message, 0); ok || p.IsUsable() {
		t.Error("a view of another type is usable")
	}
	if got, err := p.Unmarshal(message); err != nil || !reflect.DeepEqual(got, &odd{Numbers: []int64{1, 2}}) {
		t.Errorf("%+v, %v", got, err)
	}
	if p := For(reflect.TypeFor[odd](), reflect.TypeFor[odd](), nil); p.CanUnmarshal() || p.IsUsable() {
		t.Error("a type without protobuf is usable")
	}

	typ := reflect.TypeFor[metav1.PartialObjectMetadata]()
	p = For(typ, typ, omitted(true, []string{"drop", "none"}))
	want := someMeta.DeepCopy()
	want.ManagedFields = nil
	delete(want.Annotations, "drop")
	message = marshaled(t, samples[0])
	got, ok = p.Decode(message, 0)
	if !ok || !reflect.DeepEqual(&got.(*metav1.PartialObjectMetadata).ObjectMeta, want) {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, err := p.Unmarshal(message); err != nil || !reflect.DeepEqual(&got.(*metav1.PartialObjectMetadata).ObjectMeta, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHeads reads heads of whole messages, and of beginnings.
func TestHeads(t *testing.T) {
	p, message := planOf(samples[0]), marshaled(t, samples[0])
	for n := range len(message) + 1 {
		h := p.ReadHead(message[:n])
		if n == len(message) && !h.IsWhole || n < len(message) && h.IsWhole {
			t.Errorf("%d bytes are whole: %v", n, h.IsWhole)
		}
		for what, got := range map[string][2]string{
			"name": {string(h.Name), "a"}, "namespace": {string(h.Namespace), "b"}, "uid": {string(h.UID), "u"}, "version": {string(h.ResourceVersion), "7"},
		} {
			if got[0] != "" && got[0] != got[1] || n == len(message) && got[0] == "" {
				t.Errorf("%d bytes: the %s is %q", n, what, got[0])
			}
		}
		if v := p.ReadVersion(message[:n]); fmt.Sprint(v.ResourceVersion != nil) != fmt.Sprint(n == len(message)) {
			t.Errorf("%d bytes: the version is %q", n, v.ResourceVersion)
		}
	}
	if p.ContentHash(message) != p.ContentHash(bytes.Clone(message)) || p.ContentHash(message) == p.ContentHash(message[1:]) || p.ContentHash(nil) == 0 {
		t.Error("hashes")
	}
}
