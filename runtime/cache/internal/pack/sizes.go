package pack

import (
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// classes makes the memory of Texts. A Go type has a fixed size, so there is a type for each rounded size, whose only pointer is
// the first word. A level has the sizes from one power of two to the next.
type classes struct{ levels [24]atomic.Pointer[level] }

type level struct {
	types [65]atomic.Pointer[reflect.Type]
}

// mallocHeader is the size that the Go runtime adds to an allocation of more than maxWithoutHeader bytes that has a pointer.
const mallocHeader, maxWithoutHeader = 8, 512

// roundedSize rounds a size up, by 15 bytes or a thirty-second at most, and returns its level and its number there. With what the
// Go runtime adds, a rounded size is close to one of the sizes in which it allocates.
func roundedSize(n int) (at, class, rounded int) {
	if n <= maxWithoutHeader {
		class = (n + 15) / 16
		return 0, class, 16 * class
	}
	n += mallocHeader
	if n <= 1024 {
		class = (n + 15) / 16
		return 0, class, 16*class - mallocHeader
	}
	shift := bits.Len(uint(n-1)) - 6 // 32 steps from one power of two to the next
	steps := (n-1)>>shift + 1        // from 33 to 64
	return shift - 4, steps, steps<<shift - mallocHeader
}

// typeOf returns the Go type of a class.
func (c *classes) typeOf(at, class, rounded int) reflect.Type {
	l := c.levels[at].Load()
	if l == nil {
		c.levels[at].CompareAndSwap(nil, new(level))
		l = c.levels[at].Load()
	}
	of := l.types[class].Load()
	if of == nil {
		made := reflect.StructOf([]reflect.StructField{
			{Name: "Format", Type: reflect.TypeFor[*byte]()},
			{Name: "Bytes", Type: reflect.ArrayOf(rounded-int(unsafe.Sizeof(uintptr(0))), reflect.TypeFor[byte]())},
		})
		of = &made
		l.types[class].Store(of)
	}
	return *of
}
