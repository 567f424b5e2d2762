package outage

import (
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// The lines of an outage are written here, because klog shows the name of this file with each. They are no errors of the logger,
// for which zap would add a stack of the runtime.

// logFailure writes the line about a failure.
func logFailure(logger klog.Logger, f *advice.Failure, lasted time.Duration) {
	values := []any{"err", f.Err, "reason", f.Reason, "for", rounded(lasted)}
	if len(f.Namespaces) > 1 {
		values = append(values, "namespaces", advice.Names(f.Namespaces))
	}
	logger.Info("Does not follow the API server", append(values, "advice", advice.Of(*f).Line())...)
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

// answered is the written.text after the line of logAnswered.
const answered = "answered"

// logRecovered writes the line about the end of an outage.
func logRecovered(logger klog.Logger, lasted time.Duration) {
	logger.Info("Follows the API server again", "after", rounded(lasted))
}

// logAnswered writes the line about the end of an outage after which a part of the informer fails for another
// reason, as it may have before.
func logAnswered(logger klog.Logger, lasted time.Duration) {
	logger.Info("The API server answers again", "after", rounded(lasted))
}

// kind is a kind of failure. Its zero value is a list that takes long.
type kind struct {
	reason, verb string
	// isOutage is set for all failures of the server. reason and verb are empty then: they may differ from one
	// request to the next.
	isOutage bool
	isOthers bool
	isSource bool // of the program that sets the scopes, rather than of the informer that it reads
}

func kindOf(f *advice.Failure) kind {
	switch {
	case f.IsSource && f.Resource.Resource == "":
		return kind{isSource: true}
	case f.IsOutage():
		return kind{isOutage: true}
	case f.Reason == protocol.Unauthorized, f.Reason == protocol.Unreachable: // whatever is requested
		return kind{reason: f.Reason}
	}
	return kind{reason: f.Reason, verb: f.Verb, isOthers: len(f.Namespaces) > 0 && f.Namespaces[0] == ""}
}

// comparedText returns a text that two failures of a kind share if a second line would tell a reader nothing
// new: the error without its numbers, such as ports and times, and the namespaces. All failures of an outage
// share one.
func comparedText(f *advice.Failure) string {
	if kindOf(f).isOutage {
		return ""
	}
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
