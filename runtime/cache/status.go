package cache

import (
	"errors"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Status is the state of an informer, since when, and why.
type Status = status.Status

// InformerStatus is what can be observed of one informer: its Status, its counters, and what a person can do.
type InformerStatus = status.Informer

// StatusSource has informers that can be observed: a SharedInformerFactory, a generated factory or a SharedIndexInformer. The debug
// page, the health check and the metrics read it.
type StatusSource = status.Source

// Phase is the stage of an informer. Package status explains each.
type Phase = status.Phase

const (
	Pending  Phase = status.Pending
	Listing  Phase = status.Listing
	Watching Phase = status.Watching
	Degraded Phase = status.Degraded
	Stopped  Phase = status.Stopped
)

// Reason is why an informer is degraded. Package status explains each.
type Reason = status.Reason

const (
	Forbidden       Reason = status.Forbidden
	Unauthorized    Reason = status.Unauthorized
	NotFound        Reason = status.NotFound
	Expired         Reason = status.Expired
	TooManyRequests Reason = status.TooManyRequests
	ServerError     Reason = status.ServerError
	Refused         Reason = status.Refused
	Redirected      Reason = status.Redirected
	Decode          Reason = status.Decode
	ClosedEarly     Reason = status.ClosedEarly
	NoBookmark      Reason = status.NoBookmark
	HandlerPanic    Reason = status.HandlerPanic
	Misconfigured   Reason = status.Misconfigured
	Unreachable     Reason = status.Unreachable
	Unconfirmed     Reason = status.Unconfirmed
)

// reasonOf returns the reason of an error, one for each remedy.
func reasonOf(err error) Reason {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) {
		return Misconfigured
	}
	if panicked := (*HandlerPanicError)(nil); errors.As(err, &panicked) {
		return HandlerPanic
	}
	return Reason(protocol.ReasonOf(err))
}

func failureOf(verb string, err error) progress.Failure {
	return progress.Failure{Verb: verb, Reason: string(reasonOf(err)), Err: err}
}
