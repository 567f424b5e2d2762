package memory

import (
	"reflect"
	"testing"
	"time"
)

// decoded puts a map into a slot, as a decoder does, and returns whether it was known.
func decoded(p *Parts, decoder int, text string, into *map[string]string) (shared bool) {
	slot := SlotOf(reflect.ValueOf(into))
	if p.At(1, decoder, []byte(text)).CopyTo(slot, false) {
		return true
	}
	*into = map[string]string{"text": text}
	p.At(1, decoder, []byte(text)).Set(slot, false)
	return false
}

func TestPartsAreShared(t *testing.T) {
	p := &Parts{}
	var first, second, other, ofOther map[string]string
	if decoded(p, 1, "a", &first) || !decoded(p, 1, "a", &second) || reflect.ValueOf(first).Pointer() != reflect.ValueOf(second).Pointer() {
		t.Errorf("the same text makes %v and %v", first, second)
	}
	if decoded(p, 1, "b", &other) || decoded(p, 2, "a", &ofOther) {
		t.Error("another text, or another decoder, has the same part")
	}
	if slot := SlotOf(reflect.ValueOf(&other)); p.At(2, 1, []byte("a")).CopyTo(slot, false) {
		t.Error("another sharer has the same part")
	}
}

func TestSlicesAreShared(t *testing.T) {
	p := &Parts{}
	made, again := []int32{1, 2, 3}, []int32(nil)
	p.At(1, 1, nil).Set(SlotOf(reflect.ValueOf(&made)), true)
	if !p.At(1, 1, nil).CopyTo(SlotOf(reflect.ValueOf(&again)), true) || len(again) != 3 || cap(again) != cap(made) || &again[0] != &made[0] {
		t.Errorf("the slice is %v", again)
	}
}

// TestPartsOfDeletedObjectsAreForgotten meets one part each second, and another once.
func TestPartsOfDeletedObjectsAreForgotten(t *testing.T) {
	p := &Parts{}
	now := time.Now()
	p.Age(now)
	var deleted, live map[string]string
	decoded(p, 1, "deleted", &deleted)
	for i := range 150 {
		p.Age(now.Add(time.Duration(i) * time.Second))
		decoded(p, 1, "live", &live)
	}
	if !decoded(p, 1, "live", &live) {
		t.Error("a part that comes again and again is forgotten")
	}
	for i := range p.parts {
		if p.parts[i].value == SlotOf(reflect.ValueOf(deleted)) {
			t.Error("a part of a deleted object is remembered")
		}
	}
}
