package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// TestBodiesOfHTTP reads what net/http makes of connections of both kinds. Its
// bodies are closed beside a Read.
func TestBodiesOfHTTP(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			event := eventOf("ADDED", textOf(t, newWidget(1))) + "\n"
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/list" {
					_, _ = io.WriteString(w, listOf(t, 1000))
					return
				}
				_, _ = io.WriteString(w, event)
				_ = http.NewResponseController(w).Flush()
				if r.URL.Path == "/watch" {
					<-r.Context().Done()
				}
				panic(http.ErrAbortHandler) // cut
			}))
			server.EnableHTTP2 = http2
			server.StartTLS()
			defer server.Close()
			client := server.Client()
			defer client.CloseIdleConnections()
			get := func(ctx context.Context, path string) io.ReadCloser {
				t.Helper()
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				if want := map[bool]int{false: 1, true: 2}[http2]; response.ProtoMajor != want {
					t.Fatalf("the answer comes by %s", response.Proto)
				}
				return response.Body
			}
			decoder := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil)
			page, err := decoder.List(t.Context(), get(t.Context(), "/list"))
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, page, 1000)

			for range 10 {
				stopped := decoder.Watch(t.Context(), get(t.Context(), "/watch"))
				if got, err := stopped.Next(t.Context(), nil); err != nil || len(got) != 1 {
					t.Fatal(got, err)
				}
				stopped.Stop()

				ctx, cancel := context.WithCancel(t.Context())
				ended := decoder.Watch(ctx, get(ctx, "/watch"))
				if _, err := ended.Next(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				cancel()
				if _, err := ended.Next(t.Context(), nil); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				ended.Stop()

				cut := decoder.Watch(t.Context(), get(t.Context(), "/cut"))
				if got, err := readAll(t, cut); err == io.EOF || err == nil || len(got) != 1 {
					t.Errorf("a cut watch ends with %v after %d events", err, len(got))
				}
			}
		})
	}
}
