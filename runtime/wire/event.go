package wire

import (
	"bytes"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// appendEvent appends what becomes of the event in frame.
func (d *Decoder[T]) appendEvent(results []result[T], frame []byte) []result[T] {
	kind, object, ok := splitUsual(frame)
	if ok && isChange(kind) {
		if obj, err := d.changed(kind, object); err == nil {
			return append(results, result[T]{event: changeTo(kind, obj)})
		}
		// The object may not end where the event does: see more closely.
	}
	event, err := d.event(frame)
	return append(results, result[T]{event, err})
}

// splitUsual splits an event as an API server writes it.
func splitUsual(frame []byte) (kind watch.EventType, object []byte, ok bool) {
	rest, ok := bytes.CutPrefix(frame, []byte(`{"type":"`))
	if !ok {
		return "", nil, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`","object":`))
	if !ok || len(rest) == 0 {
		return "", nil, false
	}
	return eventType(name), rest[:len(rest)-1], true
}

// eventType returns the constant, which unlike name is not part of the frame.
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

// isChange says whether an event of that type carries an object of the kind.
func isChange(kind watch.EventType) bool {
	return kind == watch.Added || kind == watch.Modified || kind == watch.Deleted
}

func changeTo[T Object](kind watch.EventType, obj T) Event[T] {
	return Event[T]{Type: kind, Object: obj, ResourceVersion: obj.GetResourceVersion()}
}

// changed makes the object of an event. Only one that is added, as by a streaming
// list, can be in the cache in that state.
func (d *Decoder[T]) changed(kind watch.EventType, frame []byte) (T, *DecodeError) {
	if kind == watch.Added {
		return d.object(frame)
	}
	return d.decode(frame)
}

// event makes an event of its frame.
func (d *Decoder[T]) event(frame []byte) (event Event[T], err error) {
	var kind watch.EventType
	var object []byte
	end := members(frame, 0, func(m member) bool {
		switch {
		case m.is("type"):
			kind = watch.EventType(unquote(m.value))
		case m.is("object"):
			object = m.value
		}
		return true
	})
	if end != len(frame) || object == nil {
		return event, &SyntaxError{Near: shown(frame), Want: "an event with type and object"}
	}
	switch {
	case isChange(kind):
		obj, undecodable := d.changed(kind, object)
		switch {
		case undecodable == nil:
			return changeTo(kind, obj), nil
		case d.skip:
			return Event[T]{Type: kind, ResourceVersion: undecodable.ResourceVersion, Undecodable: undecodable}, nil
		}
		return event, undecodable
	case kind == watch.Bookmark:
		return bookmark[T](object)
	case kind == watch.Error:
		return event, failure(object)
	}
	return event, &SyntaxError{Near: shown(frame), Want: fmt.Sprintf("an event of a known type, not %q", kind)}
}

// bookmark reads what a bookmark is for from its metadata, whatever its kind.
func bookmark[T Object](object []byte) (Event[T], error) {
	var mark struct {
		Metadata struct {
			ResourceVersion string            `json:"resourceVersion"`
			Annotations     map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := unmarshal(object, &mark); err != nil {
		return Event[T]{}, &SyntaxError{Near: shown(object), Want: fmt.Sprintf("the object of a bookmark (%v)", err)}
	}
	return Event[T]{
		Type:             watch.Bookmark,
		ResourceVersion:  mark.Metadata.ResourceVersion,
		InitialEventsEnd: mark.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// failure is the error that an ERROR event carries.
func failure(object []byte) error {
	var status metav1.Status
	if err := unmarshal(object, &status); err != nil {
		return &SyntaxError{Near: shown(object), Want: fmt.Sprintf("the Status of an error (%v)", err)}
	}
	return apierrors.FromObject(&status)
}
