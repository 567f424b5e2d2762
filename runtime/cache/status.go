package cache

import (
	"errors"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Status is the state of an informer, since when, and why.
type Status = status.Status

// Reason is why an informer is degraded. Package status explains each.
type Reason = status.Reason

// reasonOf returns the reason of an error, one for each remedy.
func reasonOf(err error) Reason {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) {
		return status.Misconfigured
	}
	if panicked := (*status.HandlerPanicError)(nil); errors.As(err, &panicked) {
		return status.HandlerPanic
	}
	return Reason(protocol.ReasonOf(err))
}

func failureOf(verb string, err error) progress.Failure {
	return progress.Failure{Verb: verb, Reason: string(reasonOf(err)), Err: err}
}
