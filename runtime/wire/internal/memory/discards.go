package memory

import "reflect"

// Discards has a value for each decoder that makes one also while values are only checked, by the number of the decoder. The
// next object is written to the same values. No one reads them, and they have no text.
type Discards []reflect.Value

// At returns the slot of the value of a decoder, whose type is always t.
func (d *Discards) At(number int, t reflect.Type) Slot {
	for number >= len(*d) {
		*d = append(*d, reflect.Value{})
	}
	value := &(*d)[number]
	if !value.IsValid() {
		*value = reflect.New(t)
	}
	return SlotOf(*value)
}
