package cache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestServerThatMayBeBackAtAnyMoment resets connections, closes them, or names a short wait. Whatever number of scopes an informer
// has, it sends about one request a second, and follows the server a second after that is back. The REST client of client-go retries
// each second, and an informer on average not later.
func TestServerThatMayBeBackAtAnyMoment(t *testing.T) {
	tooMany := apierrors.NewTooManyRequests("slow down", 1)
	restarting := apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "list", widgets.GroupResource(), "", "storage is (re)initializing", 1, true)
	for name, fail := range map[string]error{
		"reset":              &url.Error{Op: "Get", URL: "https://server/", Err: syscall.ECONNRESET},
		"closed":             &url.Error{Op: "Get", URL: "https://server/", Err: io.EOF},
		"429, Retry-After 1": tooMany,
		"503, Retry-After 1": restarting,
	} {
		for _, scopes := range []int{1, 3, 100} {
			t.Run(fmt.Sprintf("%s, %d scopes", name, scopes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var requests atomic.Int64
					var fails atomic.Bool
					open := func(namespace string) bodies.OpenFunc {
						return func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
							requests.Add(1)
							if fails.Load() {
								return nil, fail
							}
							if !options.Watch {
								return io.NopCloser(strings.NewReader(`{"kind":"WidgetList","apiVersion":"test.example.com/v1","metadata":{"resourceVersion":"7"},"items":[]}`)), nil
							}
							reader, writer := io.Pipe()
							context.AfterFunc(ctx, func() { writer.Close() })
							return reader, nil
						}
					}
					var namespaces []string
					for i := range scopes {
						namespaces = append(namespaces, fmt.Sprint("n", i))
					}
					fails.Store(true)
					s, err := Kind[object]{Resource: widgets, Namespaced: true, Open: open}.NewInformer(WithNamespaces(namespaces...), WithWatchErrorHandler(quiet))
					if err != nil {
						t.Fatal(err)
					}
					cachetest.Run(t, s.Run)
					time.Sleep(5 * time.Minute) // all waits are the longest ones now
					before := requests.Load()
					time.Sleep(10 * time.Minute)
					n := int(requests.Load()-before) / 10
					least, most := 60, 75+13*max(0, scopes-8)
					if scopes == 1 && strings.Contains(name, "Retry-After") { // which it waits for
						least, most = 59, 60
					}
					if n < least || n > most {
						t.Errorf("%d requests a minute, want %d to %d", n, least, most)
					}
					fails.Store(false)
					began := time.Now()
					for !s.HasSynced() && time.Since(began) < time.Minute {
						time.Sleep(10 * time.Millisecond)
					}
					if took := time.Since(began); scopes == 1 && took > 1100*time.Millisecond || took > 10*time.Second {
						t.Errorf("it has synced %v after the server was back", took)
					}
				})
			})
		}
	}
}
