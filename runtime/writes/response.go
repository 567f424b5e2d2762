package writes

import (
	"bytes"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
)

// answer is the body of a response: an object or a Status.
type answer struct {
	body   []byte
	object metav1.PartialObjectMetadata // if it is an object
	status *metav1.Status               // nil if it is an object
}

// parseAnswer reads the needed members of a body.
func parseAnswer(body []byte) (answer, error) {
	found := answer{body: body}
	if err := decode(body, &found.object); err != nil {
		return answer{}, err
	}
	if found.object.TypeMeta == (metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}) {
		found.status = &metav1.Status{}
		return found, decode(body, found.status)
	}
	return found, nil
}

// write returns the content of an answer about the object that the URL of a request names. ok is false
// if it says nothing, or is about another object.
func (a *answer) write(method string, code int, of target) (write Write, ok bool) {
	deleted := method == http.MethodDelete
	if deleted && of.name == "" {
		return Write{}, false // the items of the list have the states from before they were deleted
	}
	deleted = deleted && of.subresource == ""
	if a.status != nil {
		if !deleted || code == http.StatusAccepted || !saysDeleted(a.status, of) {
			return Write{}, false
		}
		write.Gone = true
		write.Object.Name, write.Object.Namespace, write.Object.UID = of.name, of.namespace, a.status.Details.UID
		return write, true
	}
	meta := &a.object.ObjectMeta
	switch {
	case a.object.Kind == "" || meta.Name == "" || meta.UID == "" || meta.Namespace != of.namespace:
		return Write{}, false
	case of.name != "" && meta.Name != of.name:
		return Write{}, false
	}
	write = Write{Object: a.object, Subresource: of.subresource, Body: a.body}
	if mayBeGone(meta, deleted) {
		write.Gone = true
		// A Namespace with a deletionTimestamp exists as long as its spec has finalizers.
		isNamespace := of.resource.Group == "" && of.resource.Resource == "namespaces"
		certain := meta.DeletionTimestamp == nil || meta.DeletionGracePeriodSeconds != nil && !isNamespace
		if !certain || code == http.StatusAccepted || len(meta.Finalizers) > 0 {
			return Write{}, false
		}
		if !deleted {
			write.Object.ResourceVersion = "" // another write may have come between it and the deletion
		}
	}
	return write, true
}

// mayBeGone reports whether an object with this metadata may have been removed by the write that it
// is the response to. Then it is no state of the object: a server that removes an object in an
// update returns the object that it would have stored, with the version of the state before.
func mayBeGone(meta *metav1.ObjectMeta, deleted bool) bool {
	if meta.DeletionTimestamp == nil {
		return deleted
	}
	grace := meta.DeletionGracePeriodSeconds
	return len(meta.Finalizers) == 0 && (grace == nil || *grace == 0)
}

// saysDeleted reports whether a Status says that the target was deleted. The kind in its details is
// the name of the resource.
func saysDeleted(status *metav1.Status, of target) bool {
	details := status.Details
	return status.Status == metav1.StatusSuccess && details != nil && details.UID != "" && details.Name == of.name &&
		(details.Group == "" || details.Group == of.resource.Group) &&
		(details.Kind == "" || details.Kind == of.resource.Resource)
}

// protobufPrefix is before each object in protobuf.
var protobufPrefix = []byte("k8s\x00")

// message is an API type that has protobuf.
type message interface {
	Unmarshal(text []byte) error
	SetGroupVersionKind(kind schema.GroupVersionKind)
}

// decode decodes a body to an object, whose type may be one for parts of all kinds only.
func decode(body []byte, object message) error {
	text, isProtobuf := bytes.CutPrefix(body, protobufPrefix)
	if !isProtobuf {
		return json.Unmarshal(body, object)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(text); err != nil {
		return err
	}
	if err := object.Unmarshal(envelope.Raw); err != nil {
		return err
	}
	object.SetGroupVersionKind(envelope.GroupVersionKind())
	return nil
}
