package stats

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
)

// maxVisited is the number of values after which a Sizer stops. So a sample of huge objects takes
// milliseconds.
const maxVisited = 50_000

// Sizer adds up the memory that values take, with all that they point to. It reads unexported
// fields too, and calls no methods. It counts memory that several values share once, so cycles end. It
// does not know the size classes of the allocator, nor the memory around a string or a slice that
// is a part of something larger. It follows no pointer of a struct that has a lock or an atomic
// value: other goroutines may change the struct, and a map that one writes while another reads ends
// the program. The zero value is ready for use.
type Sizer struct {
	seen    map[memory]struct{}
	texts   map[*byte]struct{}    // as seen, for strings, of which there are most
	pointed map[reflect.Type]bool // whether values of the type can have pointers
	visited int
}

// estimateTime is how long an Estimate is used.
const estimateTime = time.Minute

// Estimate is an estimate of the memory of a number of objects, from a sample of them. Any
// goroutine may use it. The zero value is ready for use.
type Estimate struct {
	mean atomic.Int64 // the bytes of an object

	mu sync.Mutex // held while the mean is made, and guards the fields below
	// at and objects are the moment of the mean, and the number of objects then.
	at      clock.Stamp
	objects int
}

// Bytes returns an estimate of the memory of objects, in bytes. It calls sample if the last one is
// old, or if the number of objects has doubled or halved since. If another caller does so, it
// returns the last estimate instead of a wait.
func (e *Estimate) Bytes(now clock.Stamp, objects int, sample func(yield func(object any) bool)) int64 {
	if e.mu.TryLock() {
		defer e.mu.Unlock()
		if e.at == 0 || now.Since(e.at) >= estimateTime || objects >= 2*e.objects || 2*objects <= e.objects {
			e.at, e.objects = now, objects
			e.mean.Store(meanOf(sample))
		}
	}
	return e.mean.Load() * int64(objects)
}

// meanOf returns the mean size of objects. It leaves out those after which a Sizer stops, but for
// the first.
func meanOf(objects func(yield func(object any) bool)) int64 {
	var sizer Sizer
	sum, n := int64(0), int64(0)
	for object := range objects {
		bytes, ok := sizer.Add(object)
		if n > 0 && !ok {
			break
		}
		sum, n = sum+bytes, n+1
	}
	return sum / max(n, 1)
}

// memory is where a value is. A struct and its first field have the same address.
type memory struct {
	at unsafe.Pointer
	of reflect.Type
}

var (
	locationType = reflect.TypeFor[time.Location]()
	labelsType   = reflect.TypeFor[map[string]string]()
)

// Add returns the number of bytes that the value takes and that no earlier value has. It returns
// false if the Sizer has stopped, and then the number means nothing.
func (s *Sizer) Add(value any) (bytes int64, ok bool) {
	if value == nil {
		return 0, true
	}
	if s.seen == nil {
		s.seen, s.texts, s.pointed = map[memory]struct{}{}, make(map[*byte]struct{}, 1024), map[reflect.Type]bool{}
	}
	v := reflect.ValueOf(value)
	bytes = s.referenced(v)
	if v.Kind() != reflect.Pointer {
		bytes += int64(v.Type().Size())
	}
	return bytes, s.visited < maxVisited
}

// referenced returns the size of the value that v points to.
func (s *Sizer) referenced(v reflect.Value) int64 {
	if s.visited++; s.visited >= maxVisited || !s.hasPointers(v.Type()) {
		return 0
	}
	switch v.Kind() {
	case reflect.Pointer:
		if of := v.Type().Elem(); of != locationType && s.isNew(v.UnsafePointer(), of) { // nil is not
			return int64(of.Size()) + s.referenced(v.Elem())
		}
	case reflect.Interface:
		return s.referencedByInterface(v)
	case reflect.String:
		return s.referencedText(v.String())
	case reflect.Slice:
		if v.Cap() > 0 && s.isNew(v.UnsafePointer(), v.Type()) {
			return int64(v.Cap())*int64(v.Type().Elem().Size()) + s.referencedByEach(v)
		}
	case reflect.Array:
		return s.referencedByEach(v)
	case reflect.Struct:
		bytes := int64(0)
		for i := range v.NumField() {
			bytes += s.referenced(v.Field(i))
		}
		return bytes
	case reflect.Map:
		if s.isNew(v.UnsafePointer(), v.Type()) {
			return s.referencedByMap(v)
		}
	}
	return 0
}

func (s *Sizer) referencedText(text string) int64 {
	if text == "" {
		return 0
	}
	at := unsafe.StringData(text)
	if _, known := s.texts[at]; known {
		return 0
	}
	s.texts[at] = struct{}{}
	return int64(len(text))
}

func (s *Sizer) referencedByInterface(v reflect.Value) int64 {
	if v.IsNil() {
		return 0
	}
	v = v.Elem()
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer: // is in the interface itself
		return s.referenced(v)
	}
	return int64(v.Type().Size()) + s.referenced(v)
}

// referencedByEach returns the size of the values that the elements of an array or a slice point to.
func (s *Sizer) referencedByEach(v reflect.Value) (bytes int64) {
	if !s.hasPointers(v.Type().Elem()) {
		return 0
	}
	for i := range v.Len() {
		if s.visited >= maxVisited {
			break
		}
		bytes += s.referenced(v.Index(i))
	}
	return bytes
}

// referencedByMap returns the size of the table of a map, with its content. A table has groups of 8
// entries and 8 bytes each. It has at most 8 entries, or a power of two of which at most 7/8 are
// used.
func (s *Sizer) referencedByMap(v reflect.Value) int64 {
	const header, group = 48, 8
	if v.Len() == 0 {
		return header
	}
	slots := int64(group)
	for n := int64(v.Len()); n > group && slots*7/8 < n; {
		slots *= 2
	}
	bytes := header + slots/group*8 + slots*int64(v.Type().Key().Size()+v.Type().Elem().Size())
	if !s.hasPointers(v.Type().Key()) && !s.hasPointers(v.Type().Elem()) {
		return bytes
	}
	if v.Type() == labelsType { // as most are; to range by reflection allocates each entry
		table := v.UnsafePointer()
		for key, value := range *(*map[string]string)(unsafe.Pointer(&table)) {
			if s.visited += 2; s.visited >= maxVisited {
				break
			}
			bytes += s.referencedText(key) + s.referencedText(value)
		}
		return bytes
	}
	for entries := v.MapRange(); s.visited < maxVisited && entries.Next(); {
		bytes += s.referenced(entries.Key()) + s.referenced(entries.Value())
	}
	return bytes
}

// isNew reports whether the value at that address was not counted yet. It is false for nil.
func (s *Sizer) isNew(at unsafe.Pointer, of reflect.Type) bool {
	if at == nil {
		return false
	}
	if _, known := s.seen[memory{at, of}]; known {
		return false
	}
	s.seen[memory{at, of}] = struct{}{}
	return true
}

// isGuarded reports whether a struct type is of a package of locks, or has a field of such a type.
func isGuarded(t reflect.Type) bool {
	isLock := func(t reflect.Type) bool { return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" }
	if isLock(t) {
		return true
	}
	for i := range t.NumField() {
		if isLock(t.Field(i).Type) {
			return true
		}
	}
	return false
}

// hasPointers reports whether values of a type can point to other memory that a Sizer reads.
func (s *Sizer) hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return t.Len() > 0 && s.hasPointers(t.Elem())
	case reflect.Struct:
		has, known := s.pointed[t]
		if !known {
			for i := range t.NumField() {
				has = has || s.hasPointers(t.Field(i).Type)
			}
			has = has && !isGuarded(t)
			s.pointed[t] = has
		}
		return has
	}
	return false // a channel or a function is of its own size
}
