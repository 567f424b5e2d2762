package cache

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
)

// forward pushes a batch of events as deltas, and notes how far the watch got.
// Of a batch with an object that cannot be taken, nothing from that object on
// is pushed.
func (r *Reflector[T]) forward(ctx context.Context, events []Event[T], in *input) (err error) {
	deltas := r.freeDeltas.take(len(events))
	for i := range events {
		event := &events[i]
		delta := Delta[T]{Type: deltaTypeOf(event.Type), Item: event.Item}
		if delta.Type != 0 {
			if err = r.accept(ctx, &delta.Item); err != nil {
				break
			}
		}
		if in.verb == openStream && !in.listed {
			if err = r.addInitial(event, delta, in); err != nil {
				break
			}
			continue
		}
		if delta.Type != 0 {
			note(&r.status.undecodable, &delta.Item, delta.Type == Deleted)
		}
		if delta.Type == Deleted || delta.Type != 0 && event.Err == nil {
			deltas = append(deltas, delta)
		}
		if isLater(event.ResourceVersion, in.resourceVersion) {
			if !in.useful {
				in.useful = true
				r.status.enter(Watching, nil)
			}
			in.resourceVersion = event.ResourceVersion
		}
	}
	r.queue.Push(deltas...)
	if in.resourceVersion != "" {
		r.status.reach(in.resourceVersion)
	}
	clear(deltas)
	r.freeDeltas.give(deltas)
	clear(events) // the next read reuses the memory; it must not keep objects alive
	if cap(r.events) > maxReuse {
		r.events = nil
	}
	return err
}

// deltaTypeOf is the type of the delta that an event becomes, 0 for an event that
// carries no object. It is asked for each event, so it is no map.
func deltaTypeOf(event watch.EventType) DeltaType {
	switch event {
	case watch.Added:
		return Added
	case watch.Modified:
		return Updated
	case watch.Deleted:
		return Deleted
	}
	return 0
}

// accept transforms the object of an item. It reports a state that cannot be decoded,
// once.
func (r *Reflector[T]) accept(ctx context.Context, item *Item[T]) (err error) {
	switch {
	case item.Err == nil && !item.Held: // a held one went through the transform when it came
		item.Object, err = r.transformed(item.Object)
	case item.Err != nil && !r.status.undecodable.isKnown(item.Err):
		r.onError(ctx, r.resource, item.Err)
	}
	return err
}

// addInitial takes one of the initial events of a streaming list. Their versions
// are those of the objects, in no order: only the bookmark has that of the list.
func (r *Reflector[T]) addInitial(event *Event[T], delta Delta[T], in *input) error {
	switch {
	case delta.Type != 0:
		r.listed.apply(delta)
	case event.InitialEventsEnd && event.ResourceVersion == "":
		return errNoListVersion // a watch from there would miss changes
	case event.InitialEventsEnd:
		in.listed, in.resourceVersion = true, event.ResourceVersion
		r.commit(event.ResourceVersion)
		r.status.enter(Watching, nil)
	}
	return nil
}

// isLater reports whether a watch that has reached version before has got further
// with version. A watch never resumes at an earlier version than it has reached,
// even if an aggregated server sends the last state of a deleted object with the
// version of that state. Versions that are not positive decimal numbers, which only
// servers that are not Kubernetes have, are taken as they come until one is.
func isLater(version, before string) bool {
	if version == "" || version == before {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, before)
	if err != nil {
		return !isWellFormed(before)
	}
	return order > 0
}

// isEarlier reports whether version is known to be before another one.
func isEarlier(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

func isWellFormed(version string) bool {
	_, err := resourceversion.CompareResourceVersion(version, version)
	return err == nil
}

func (r *Reflector[T]) transformed(obj T) (T, error) {
	if r.trim != nil {
		r.trim(obj)
	}
	if r.transform == nil {
		return obj, nil
	}
	name := MetaObjectToName(obj) // the transform may change even this
	result, err := r.transform(obj)
	if none := *new(T); err == nil && result == none {
		err = errors.New("it returned neither an object nor an error")
	}
	if err == nil && MetaObjectToName(result) != name {
		err = errors.New("it changed the name, by which the server knows the object")
	}
	if err != nil {
		return result, &ObjectError{Resource: r.resource, Object: name, Err: fmt.Errorf("transform: %w", err)}
	}
	return result, nil
}
