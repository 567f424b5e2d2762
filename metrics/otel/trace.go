package informertrace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Trace returns a handler that makes a trace of each list, for cache.WithRelistHandler. If the
// context of Run has a span, such as that of the start of the program, the traces link to it, as
// they may begin long after its end.
func Trace(tracer trace.Tracer) cache.RelistHandler {
	return func(ctx context.Context, relist cache.Relist) {
		links := trace.WithLinks()
		if trace.SpanContextFromContext(ctx).IsValid() {
			links = trace.WithLinks(trace.LinkFromContext(ctx))
		}
		ctx, root := tracer.Start(ctx, "informer.relist", trace.WithNewRoot(), links,
			trace.WithTimestamp(relist.Began), trace.WithAttributes(attributesOf(&relist)...))
		tracePhases(ctx, tracer, &relist)
		for _, handler := range relist.Handlers {
			traceHandler(ctx, tracer, &relist, handler)
		}
		end(root, relist.Ended, relist.Reason)
	}
}

// tracePhases makes a span for each part of a list. The last one of a list that failed has its
// reason.
func tracePhases(ctx context.Context, tracer trace.Tracer, relist *cache.Relist) {
	began := relist.Began
	for _, phase := range []struct {
		name  string
		ended time.Time
	}{
		{"informer.list", relist.Answered},
		{"informer.decode", relist.Decoded},
		{"informer.apply", relist.Applied},
	} {
		if phase.ended.IsZero() && relist.Err == nil {
			return // no one knows, for a cache.Reflector alone
		}
		_, span := tracer.Start(ctx, phase.name, trace.WithTimestamp(began))
		if phase.ended.IsZero() {
			end(span, relist.Ended, relist.Reason)
			return
		}
		end(span, phase.ended, "")
		began = phase.ended
	}
}

func traceHandler(ctx context.Context, tracer trace.Tracer, relist *cache.Relist, handler cache.HandlerRelist) {
	_, span := tracer.Start(ctx, "informer.handler", trace.WithTimestamp(relist.Applied),
		trace.WithAttributes(attribute.String("informer.handler", handler.Name), attribute.Int("informer.events", handler.Events)))
	ended := handler.Done
	if ended.IsZero() {
		span.SetAttributes(attribute.Bool("informer.abandoned", true))
		ended = relist.Ended
	}
	end(span, ended, "")
}

// end ends a span, with the reason of a failure or "".
func end(span trace.Span, at time.Time, reason cache.Reason) {
	if reason != "" {
		span.SetStatus(codes.Error, string(reason))
	}
	span.End(trace.WithTimestamp(at))
}

func attributesOf(relist *cache.Relist) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("k8s.api.group", relist.Resource.Group),
		attribute.String("k8s.api.version", relist.Resource.Version),
		attribute.String("k8s.api.resource", relist.Resource.Resource),
		attribute.Int("informer.objects", relist.Objects),
		attribute.Int64("informer.bytes", relist.Bytes),
	}
	if relist.Namespace != "" {
		all = append(all, attribute.String("k8s.namespace.name", relist.Namespace))
	}
	if relist.Cause != "" {
		all = append(all, attribute.String("informer.cause", string(relist.Cause)))
	}
	if relist.Streamed {
		all = append(all, attribute.Bool("informer.streamed", true))
	} else {
		all = append(all, attribute.Int("informer.pages", relist.Pages))
	}
	if relist.Dropped > 0 {
		all = append(all, attribute.Int("informer.dropped", relist.Dropped))
	}
	return all
}
