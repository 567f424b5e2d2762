package stats

import (
	"context"
	"io"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// open sends a request and returns the body of the response.
type open = func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)

// CountBytes returns a function that counts the bytes of the bodies that another one returns.
func (t *Traffic) CountBytes(of open) open {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		body, err := of(ctx, options, accept)
		if err != nil {
			return nil, err
		}
		return &Body{ReadCloser: body, Bytes: &t.Bytes}, nil
	}
}

// Body counts the bytes of a response as they are read: after the HTTP client has decompressed
// them.
type Body struct {
	io.ReadCloser
	Bytes *atomic.Int64
}

// Unwrap returns the body of the client.
func (b *Body) Unwrap() io.Reader { return b.ReadCloser }

func (b *Body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.Bytes.Add(int64(n))
	return n, err
}
