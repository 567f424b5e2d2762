package memory

import "testing"

// TestHabit counts the looks for values that come again, that never do, and that begin to.
func TestHabit(t *testing.T) {
	for _, test := range []struct {
		name  string
		found func(i int) bool
		most  int // looks for 100,000 values
		least int
	}{
		{"always", func(int) bool { return true }, 100_000, 100_000},
		{"one in eight", func(i int) bool { return i%8 == 0 }, 100_000, 100_000},
		{"never", func(int) bool { return false }, 1700, 1500},
		{"later", func(i int) bool { return i > 50_000 }, 60_000, 45_000},
	} {
		h, looks := Habit{}, 0
		for i := range 100_000 {
			if h.Looks() {
				looks++
				h.Note(test.found(i))
			}
		}
		if looks < test.least || looks > test.most {
			t.Errorf("%s: %d looks, want %d to %d", test.name, looks, test.least, test.most)
		}
	}
}

// TestUsualStrings: what comes again shares memory, and what does not is not remembered.
func TestUsualStrings(t *testing.T) {
	s, image, uid := &Strings{}, Habit{}, Habit{}
	unique := func(i int) []byte { return []byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676), 'x'} }
	for i := range 2000 {
		if got := s.Usual([]byte("image"), &image); got != "image" {
			t.Fatal(got)
		}
		if got := s.Usual(unique(i), &uid); got != string(unique(i)) {
			t.Fatal(got)
		}
	}
	if held := len(s.Held()); held > habitLooks+1 {
		t.Errorf("%d strings are remembered", held)
	}
}
