package wire

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// body is the body of a response, which knows whether it is closed.
type body struct {
	io.Reader
	closed atomic.Bool
}

func (b *body) Close() error {
	b.closed.Store(true)
	if closer, ok := b.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

func bodyOf(text string) *body { return &body{Reader: strings.NewReader(text)} }

// arrivals are ways in which text can arrive.
func arrivals(text string) map[string]*body {
	return map[string]*body{
		"at once":        bodyOf(text),
		"byte by byte":   {Reader: iotest.OneByteReader(strings.NewReader(text))},
		"in halves":      {Reader: iotest.HalfReader(strings.NewReader(text))},
		"with its error": {Reader: iotest.DataErrReader(strings.NewReader(text))},
	}
}

// listOf is the body of a list of the widgets with the numbers 0 to n-1.
func listOf(t testing.TB, n int) string {
	return `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"77","continue":"more"},"items":[` +
		strings.Join(texts(t, n), ",") + "]}\n"
}

func texts(t testing.TB, n int) []string {
	var all []string
	for i := range n {
		all = append(all, textOf(t, newWidget(i)))
	}
	return all
}

func eventOf(kind, object string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`, kind, object)
}

// blocked is a body that has some text and then nothing, until it is closed.
type blocked struct {
	text   io.Reader
	closed chan struct{}
}

func newBlocked(text string) *blocked {
	return &blocked{text: strings.NewReader(text), closed: make(chan struct{})}
}

func (b *blocked) Read(p []byte) (int, error) {
	if n, err := b.text.Read(p); err == nil {
		return n, nil
	}
	<-b.closed
	return 0, io.ErrClosedPipe
}

func (b *blocked) Close() error {
	close(b.closed) // twice would panic
	return nil
}
