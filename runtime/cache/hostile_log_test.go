package cache

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// lockedBuffer is a Buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// TestLogOfAHostileServer has a server that answers with text that harms the reader of a log: lines
// that look like those of the program, escape sequences, a megabyte, and bytes that are no UTF-8.
func TestLogOfAHostileServer(t *testing.T) {
	const harm = "a\x1b[31m\nE0101 00:00:00.000000 1 main.go:1] \"Forged\"\r\u202e\xff"
	status := &apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: 500, Reason: metav1.StatusReasonInternalError, Message: harm + strings.Repeat("x", 1<<20)}}
	for name, test := range map[string]struct {
		err, is error
		shown   string
	}{
		"a Status": {status, status, `: a\x1b[31m\nE0101`},
		"a proxy":  {&url.Error{Op: "Get", URL: "https://user:hush@host/" + harm + "?token=hush", Err: context.DeadlineExceeded}, context.DeadlineExceeded, "https://"},
		"TLS":      {&url.Error{Op: "Get", URL: "https://user:hush@host/apis?token=hush", Err: errors.New(harm)}, nil, `https://host/apis: a\x1b[31m`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lockedBuffer
				logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log), textlogger.Verbosity(5)))
				source := &cachetest.ListWatch[object]{
					ListFunc: func(context.Context, metav1.ListOptions) (cachetest.Page[object], error) {
						return cachetest.Page[object]{}, test.err
					},
					WatchFunc: func(context.Context, metav1.ListOptions) (cachetest.EventStream[object], error) { return nil, test.err },
				}
				s := informerOf(Config[object]{ListerWatcher: source, Resource: widgets})
				cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, logger)) })
				time.Sleep(advice.After + time.Second)
				synctest.Wait()
				text := log.String()
				if !strings.Contains(text, "Does not follow the API server") || !strings.Contains(text, strings.ReplaceAll(test.shown, `\`, `\\`)) {
					t.Errorf("the log has no line about the outage with %s: %.2000q", test.shown, text)
				}
				for line := range strings.Lines(text) {
					if line = strings.TrimSuffix(line, "\n"); len(line) > 10_000 || !utf8.ValidString(line) || strings.ContainsAny(line, "\x1b\r\u202e") || !strings.Contains(line[:min(len(line), 60)], ".go:") {
						t.Errorf("a line of the log has %d bytes: %.300q", len(line), line)
					}
				}
				err := s.Status().Err
				if strings.Contains(text, "hush") || strings.Contains(err.Error(), "hush") {
					t.Errorf("the log or the error %.300q has credentials: %.2000s", err, text)
				}
				if test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("%.300q does not wrap %T", err, test.is)
				}
			})
		})
	}
}
