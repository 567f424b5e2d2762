package outage

import (
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
)

// logFailure writes the line about a failure.
func logFailure(logger klog.Logger, f *advice.Failure, lasted time.Duration) {
	values := []any{"reason", f.Reason, "for", rounded(lasted)}
	if len(f.Namespaces) > 1 {
		values = append(values, "namespaces", advice.Names(f.Namespaces))
	}
	logger.Error(f.Err, "Does not follow the API server", append(values, "advice", advice.Of(*f).Line())...)
}

// logWithoutFailure writes the line about an informer that waits for a list.
func logWithoutFailure(logger klog.Logger, about advice.Advice, lasted time.Duration) {
	logger.Info("Does not follow the API server yet", "for", rounded(lasted), "advice", about.Line())
}

// logHandler writes the line about a handler that is late.
func logHandler(logger klog.Logger, h *Handler) {
	logger.Info("A handler has not returned from its initial list", "handler", h.Name, "events", h.Backlog,
		"advice", "A handler should only add to a queue: look for a lock, a request, or a wait for another informer.")
}

// comparedText returns a text that two failures share if a second line would tell a reader nothing
// new: the error without its numbers, such as ports and times, and the namespaces.
func comparedText(f *advice.Failure) string {
	text := ""
	if f.Err != nil {
		text = f.Err.Error()
	}
	withoutDigits := func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}
	return strings.Map(withoutDigits, text) + "\x00" + strings.Join(f.Namespaces, ",")
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Second) }
