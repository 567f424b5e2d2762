package wire

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Check decodes some of the objects again, with apimachinery's serializers, and compares: one at a time, in a goroutine of its own,
// which begins and ends with each object. While it decodes one, it takes no other, so it uses at most one processor. Several
// Decoders may have the same Check. All methods may be called from any goroutine.
type Check struct {
	// OneIn is the number of objects of which one is compared.
	OneIn uint64
	// Compare compares two objects of the same text. No one else has them. It is not called for a text that both refuse.
	Compare func(Compared)

	seen    atomic.Uint64
	running sync.WaitGroup

	mu               sync.Mutex // guards the fields below
	isBusy, isClosed bool
}

// Compared is an object that a Decoder has decoded, and that of apimachinery's serializers.
type Compared struct {
	Got, Want Object
	// Err is not nil if the serializers refuse the text. There is no Want then.
	Err error
	// IsView is set if Want was decoded from a message of the whole kind. Then empty lists and maps, which no message has, may be
	// nil in one of them.
	IsView bool
}

// Close returns when no object is being compared. No other one is after that. A nil Check compares none.
func (k *Check) Close() {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.isClosed = true
	k.mu.Unlock()
	k.running.Wait()
}

// take makes a copy of the frame of one of so many objects, and compares.
func (k *Check) take(d *Decoder, c codec, frame []byte) {
	if k.seen.Add(1)%k.OneIn != 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isBusy || k.isClosed {
		return
	}
	k.isBusy = true
	frame = bytes.Clone(frame)
	k.running.Go(func() {
		defer k.end()
		got, ok := c.Decode(frame)
		if !ok {
			return // the serializers have decoded it
		}
		compared := Compared{Got: d.marked(got.(Object))}
		messages, isProtobuf := c.(protobufCodec)
		compared.IsView = isProtobuf && messages.IsView()
		want, err := c.Unmarshal(frame)
		if compared.Err = err; err == nil {
			compared.Want = d.marked(want.(Object))
		}
		k.Compare(compared)
	})
}

func (k *Check) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isBusy = false
}
