package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// appendEvents appends the results of the events in frame. Nearly always there is one.
func (d *Decoder) appendEvents(results []result, frame []byte) []result {
	event, ok, gaveUp := d.usualEvent(frame)
	if ok {
		return appendResult(results, result{event: event})
	}
	for at := 0; at < len(frame); at = plan.SkipSpace(frame, at) {
		end := plan.ValueEnd(frame, at)
		if end < 0 {
			d.byValue.Store(true) // the next watch succeeds
			end = len(frame)
		}
		event, err := d.event(frame[at:end], gaveUp)
		if results = appendResult(results, result{event, d.withoutText(err)}); err != nil {
			break
		}
		at, gaveUp = end, false
	}
	return results
}

// usualEvent decodes a frame in the form in which API servers write events. Otherwise ok is
// false. gaveUp is set if the plan gave up on the object. The cache can have an object in
// this state only if the event is Added, as in a streaming list.
func (d *Decoder) usualEvent(frame []byte) (event Event, ok, gaveUp bool) {
	kind, object, ok := splitUsual(frame)
	if !ok || !isChange(kind) {
		return event, false, false
	}
	// No other code checks that the frame is exactly one event if the object is not decoded.
	if h, out := d.leavesOut(d.json, object); out {
		if plan.ValueEnd(frame, 0) != len(frame) {
			return event, false, false
		}
		return d.leftOut(kind, h), true, false
	}
	i := Item{ContentHash: d.contentHash(d.json, object)}
	if kind == watch.Added {
		if i.Object, i.Held = d.held(d.json, object, i.ContentHash); i.Held && plan.ValueEnd(frame, 0) == len(frame) {
			return changeTo(kind, i), true, false
		}
		i.Held = false
	}
	if i.Object, ok = d.decodeFast(d.json, object); ok && d.check(i.Object) == nil {
		i.Object = d.pack(d.json, object, i.Object, &howToDecode{})
		return changeTo(kind, i), true, false
	}
	return event, false, !ok
}

// splitUsual splits an event in the form in which API servers write it.
func splitUsual(frame []byte) (kind watch.EventType, object []byte, ok bool) {
	rest, ok := bytes.CutPrefix(frame, []byte(`{"type":"`))
	if !ok {
		return "", nil, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`","object":`))
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return "", nil, false
	}
	return eventType(name), rest[:len(rest)-1], true
}

// eventType returns the constant for name, so that the result does not keep the frame alive.
func eventType(name []byte) watch.EventType {
	switch string(name) {
	case string(watch.Added):
		return watch.Added
	case string(watch.Modified):
		return watch.Modified
	case string(watch.Deleted):
		return watch.Deleted
	case string(watch.Bookmark):
		return watch.Bookmark
	case string(watch.Error):
		return watch.Error
	}
	return watch.EventType(name)
}

// isChange reports whether an event of that type has an object of the kind.
func isChange(kind watch.EventType) bool {
	return kind == watch.Added || kind == watch.Modified || kind == watch.Deleted
}

func changeTo(kind watch.EventType, i Item) Event {
	return Event{Type: kind, Item: i, ResourceVersion: i.Object.GetResourceVersion()}
}

// event decodes a frame of any form. gaveUp is set if the plan gave up on its object, or on
// text that looked like it.
func (d *Decoder) event(frame []byte, gaveUp bool) (event Event, err error) {
	var kind watch.EventType
	var object []byte
	end := plan.Members(frame, func(m plan.Member) bool {
		switch {
		case m.Is("object"):
			object = m.Value // decoding checks it
			return true
		case m.Is("type"):
			name, _ := plan.Text(m.Value)
			kind = watch.EventType(name)
		}
		return json.Valid(m.Value)
	})
	if end != len(frame) || object == nil {
		return event, &SyntaxError{Near: shown(frame), Want: "an event with type and object"}
	}
	switch {
	case isChange(kind):
		if h, out := d.leavesOut(d.json, object); out {
			return d.leftOut(kind, h), nil
		}
		return d.change(kind, d.object(d.json, object, howToDecode{mayBeHeld: kind == watch.Added, gaveUp: gaveUp}))
	case kind == watch.Bookmark:
		return bookmark(object)
	case kind == watch.Error:
		return event, failure(object)
	}
	return event, &SyntaxError{Near: shown(frame), Want: fmt.Sprintf("an event of a known type, not %q", shown(string(kind)))}
}

// change returns the event of an object, or the error if it cannot be skipped.
func (d *Decoder) change(kind watch.EventType, i Item) (Event, error) {
	switch {
	case i.Err == nil:
		return changeTo(kind, i), nil
	case d.skips(i.Err):
		return Event{Type: kind, Item: i, ResourceVersion: i.Err.ResourceVersion}, nil
	}
	return Event{}, i.Err
}

// bookmark reads the metadata of a bookmark. Its kind does not matter.
func bookmark(object []byte) (Event, error) {
	var mark struct {
		Metadata struct {
			ResourceVersion string            `json:"resourceVersion"`
			Annotations     map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := plan.Unmarshal(object, &mark); err != nil {
		return Event{}, &SyntaxError{Near: shown(object), Want: fmt.Sprintf("the object of a bookmark (%v)", short(err))}
	}
	return Event{
		Type:             watch.Bookmark,
		ResourceVersion:  mark.Metadata.ResourceVersion,
		InitialEventsEnd: mark.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// failure returns the error of an ERROR event.
func failure(object []byte) error {
	var status metav1.Status
	if err := plan.Unmarshal(object, &status); err != nil {
		return &SyntaxError{Near: shown(object), Want: fmt.Sprintf("the Status of an error (%v)", short(err))}
	}
	if isEmpty(&status) || status.Kind != "" && status.Kind != "Status" {
		return &SyntaxError{Near: shown(object), Want: "the Status of an error"}
	}
	return statusError(status)
}

// isEmpty reports whether a Status says nothing.
func isEmpty(status *metav1.Status) bool {
	return status.Kind == "" && status.Status == "" && status.Message == "" && status.Reason == "" && status.Code == 0
}

// skipLargeEvent returns the event of a frame that is too large. begin is the beginning of
// the frame. If it does not have the type and the name of the object, the error is large.
func (d *Decoder) skipLargeEvent(begin []byte, large *TooLargeError) (event Event, err error) {
	var object []byte
	var kind watch.EventType
	plan.Members(begin, func(m plan.Member) bool {
		switch {
		case m.Is("type"):
			name, _ := plan.Text(m.Value)
			kind = watch.EventType(name)
		case m.Is("object"):
			object = m.Value
		}
		return object == nil
	})
	if h, out := d.leavesOutLarge(d.json, object); out && isChange(kind) {
		return d.leftOut(kind, h), nil
	}
	return d.largeChange(kind, plan.ReadHead(object), large)
}

// largeChange returns the event of an object that is too large, or the error if it cannot be
// skipped. h is its head.
func (d *Decoder) largeChange(kind watch.EventType, h plan.Head, large *TooLargeError) (event Event, err error) {
	if !isChange(kind) {
		return event, large
	}
	if event.Err, err = d.skipLarge(h, large); err != nil {
		return event, err
	}
	event.Type, event.ResourceVersion = kind, event.Err.ResourceVersion
	return event, nil
}
