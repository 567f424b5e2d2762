package pack

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/typedinformers/informer-gen/runtime/compression"
)

const (
	// firstDictionary is the size of the first dictionary, and maxDictionary that of later ones, in bytes.
	firstDictionary = 16 << 10
	maxDictionary   = 60 << 10
	// maxSample is how much of one text a dictionary has.
	maxSample = 8 << 10
	// windowObjects is the number of objects after which their ratio is compared with that of the first ones that the dictionary
	// has compressed.
	windowObjects = 1024
	// maxDictionaries is the number of dictionaries that the objects of a line may use.
	maxDictionaries = 8
	// startBytes is the length of the beginning that most objects have.
	startBytes = 64
)

// maxOvershoot is how many bytes after the result of Compress its copies of several bytes at a time may have overwritten.
const maxOvershoot = 64

// secondAt is after how many bytes of text a dictionary is made of more objects, of which it takes one in secondStride. The
// first objects of a list are of one namespace.
const (
	secondAt     = 1 << 20
	secondStride = 8
)

// line compresses the texts of one encoding. It has samples for the next dictionary.
type line struct {
	*encoding
	compression compression.Method
	plain       *format // of texts that are not compressed
	current     atomic.Pointer[format]

	// raw and packed are the bytes of the window of the present objects, and objects their number. total has the bytes of all.
	raw, packed, objects atomic.Int64
	total                atomic.Int64
	// stride is not 0 while one in stride objects is a sample.
	stride atomic.Int64

	mu sync.Mutex // guards the fields below
	// samples are the texts for the next dictionary, and start the beginning of the last one.
	samples []byte
	start   []byte
	wanted  int
	// base is the ratio of the first objects of the dictionary; 0 before.
	base float64
	// hasText is set if the dictionary has a text.
	hasText bool
	// hasSecond is set when the dictionary was made of more objects.
	hasSecond bool
	// made are the formats with dictionaries that may be in use.
	made []weak.Pointer[format]
}

func newLine(of *encoding, compression compression.Method) *line {
	l := &line{encoding: of, compression: compression, plain: &format{encoding: of}, wanted: firstDictionary}
	l.stride.Store(1)
	l.use(compression.NewDictionary(nil, nil))
	return l
}

// use makes a dictionary the one for the next objects.
func (l *line) use(d compression.Dictionary) {
	f := &format{encoding: l.encoding}
	f.dictionary.Store(&d)
	l.current.Store(f)
}

// pack returns the Text of a text.
func (l *line) pack(text []byte) *Text {
	f := l.current.Load()
	buffer := l.buffer()
	defer l.release(buffer)
	packed := (*f.dictionary.Load()).Compress(*buffer, text)
	if cap(packed) > cap(*buffer) {
		*buffer = packed
	}
	*buffer = (*buffer)[:min(cap(*buffer), max(len(packed), len(text))+maxOvershoot)]
	l.note(text, len(packed))
	if len(packed) >= len(text) {
		return newText(&l.classes, l.plain, text, len(text))
	}
	return newText(&l.classes, f, packed, len(text))
}

// note counts an object, and takes a sample of it if a dictionary is to be made.
func (l *line) note(text []byte, packed int) {
	raw, compressed := l.raw.Add(int64(len(text))), l.packed.Add(int64(packed))
	n := l.objects.Add(1)
	if stride := l.stride.Load(); stride > 0 {
		if n%stride == 0 {
			l.sample(text)
		}
		return
	}
	if n >= windowObjects || raw >= secondAt {
		l.endWindow(raw, compressed)
	}
}

// sample adds a text to those for the next dictionary, which it makes if they suffice. A dictionary may outlive its objects, so it
// has no data of Secrets: nothing below data and stringData, whatever the kind, and no copy of them in an annotation.
func (l *line) sample(text []byte) {
	text = l.reader.WithoutSecrets(l.TextForm, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stride.Load() == 0 {
		return // another goroutine was faster
	}
	l.samples = append(l.samples, text[:min(len(text), maxSample, l.wanted)]...)
	l.start = append(l.start[:0], text[:min(len(text), startBytes)]...)
	if len(l.samples) < l.wanted {
		return
	}
	l.renewLocked()
}

// renewLocked makes a dictionary of the samples.
func (l *line) renewLocked() {
	last := l.current.Load()
	d := l.compression.NewDictionary(l.samples, l.start)
	l.use(d)
	l.made = append(l.made, weak.Make(l.current.Load()))
	reading := (*last.dictionary.Load()).Reading()
	last.dictionary.Store(&reading)
	l.hasText = true
	l.samples, l.start, l.base, l.wanted = nil, nil, 0, maxDictionary
	l.resetWindow()
	l.stride.Store(0)
}

// restart drops the samples and the text of the dictionary. It is called when the cache has no object of the line any more.
func (l *line) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hasText {
		l.use(l.compression.NewDictionary(nil, nil))
	}
	l.samples, l.start, l.base, l.wanted, l.hasText, l.hasSecond = nil, nil, 0, firstDictionary, false, false
	l.resetWindow()
	l.total.Store(0)
	l.stride.Store(1)
}

func (l *line) resetWindow() {
	l.total.Add(l.raw.Swap(0))
	l.packed.Store(0)
	l.objects.Store(0)
}

// endWindow compares the ratio of the last objects with that of the first ones, and decides whether to make another dictionary.
func (l *line) endWindow(raw, compressed int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stride.Load() > 0 || l.raw.Load() < raw { // another goroutine was faster
		return
	}
	l.resetWindow()
	ratio := float64(compressed) / float64(raw)
	switch {
	case !l.hasSecond && l.total.Load() >= secondAt:
		l.hasSecond = true
		l.stride.Store(secondStride)
	case l.base == 0:
		l.base = ratio
	case ratio > l.base*1.25 && ratio < 0.9 && l.hasRoomLocked():
		l.stride.Store(secondStride)
	}
}

// hasRoomLocked reports whether there may be another dictionary.
func (l *line) hasRoomLocked() bool {
	kept := l.made[:0]
	for _, made := range l.made {
		if made.Value() != nil {
			kept = append(kept, made)
		}
	}
	l.made = kept
	return len(kept) < maxDictionaries
}
