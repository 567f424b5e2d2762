package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// open answers with bodies, as generated informers get them from a real client.
func (s *fakeServer) open(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	if !options.Watch {
		list, err := s.List(ctx, options)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(list)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	events, err := s.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	b := &watchBody{events: events}
	b.PipeReader, b.writer = io.Pipe()
	b.writing.Go(b.write)
	return b, nil
}

// watchBody is the body of an open watch.
type watchBody struct {
	*io.PipeReader
	writer  *io.PipeWriter
	events  watch.Interface
	writing sync.WaitGroup
}

func (b *watchBody) write() {
	for event := range b.events.ResultChan() {
		object, err := json.Marshal(event.Object)
		if err == nil {
			err = json.NewEncoder(b.writer).Encode(metav1.WatchEvent{Type: string(event.Type), Object: runtime.RawExtension{Raw: object}})
		}
		if errors.Is(err, io.ErrClosedPipe) {
			return
		}
		if err != nil {
			panic(err) // these objects can be written
		}
	}
	_ = b.writer.Close() // never fails
}

func (b *watchBody) Close() error {
	err := b.PipeReader.Close()
	b.events.Stop()
	b.writing.Wait()
	return err
}
