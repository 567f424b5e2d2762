package builtin

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// eventTTL is how long an Event is kept, as in kube-apiserver by default.
const eventTTL = time.Hour

// addConversion registers a conversion that cannot fail.
func addConversion[From, To any](scheme *runtime.Scheme, convert func(*From, *To)) error {
	return scheme.AddConversionFunc((*From)(nil), (*To)(nil), func(from, to any, _ conversion.Scope) error {
		convert(from.(*From), to.(*To))
		return nil
	})
}

// eventToCore shares memory with in, as the handlers allow it.
func eventToCore(in *eventsv1.Event, out *corev1.Event) {
	*out = corev1.Event{
		ObjectMeta:          in.ObjectMeta,
		InvolvedObject:      in.Regarding,
		Reason:              in.Reason,
		Message:             in.Note,
		Source:              in.DeprecatedSource,
		FirstTimestamp:      in.DeprecatedFirstTimestamp,
		LastTimestamp:       in.DeprecatedLastTimestamp,
		Count:               in.DeprecatedCount,
		Type:                in.Type,
		EventTime:           in.EventTime,
		Action:              in.Action,
		Related:             in.Related,
		ReportingController: in.ReportingController,
		ReportingInstance:   in.ReportingInstance,
	}
	if in.Series != nil {
		out.Series = &corev1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
}

func eventFromCore(in *corev1.Event, out *eventsv1.Event) {
	*out = eventsv1.Event{
		ObjectMeta:               in.ObjectMeta,
		EventTime:                in.EventTime,
		ReportingController:      in.ReportingController,
		ReportingInstance:        in.ReportingInstance,
		Action:                   in.Action,
		Reason:                   in.Reason,
		Regarding:                in.InvolvedObject,
		Related:                  in.Related,
		Note:                     in.Message,
		Type:                     in.Type,
		DeprecatedSource:         in.Source,
		DeprecatedFirstTimestamp: in.FirstTimestamp,
		DeprecatedLastTimestamp:  in.LastTimestamp,
		DeprecatedCount:          in.Count,
	}
	if in.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
}

func eventListToCore(in *eventsv1.EventList, out *corev1.EventList) {
	*out = corev1.EventList{ListMeta: in.ListMeta, Items: make([]corev1.Event, len(in.Items))}
	for i := range in.Items {
		eventToCore(&in.Items[i], &out.Items[i])
	}
}

func eventListFromCore(in *corev1.EventList, out *eventsv1.EventList) {
	*out = eventsv1.EventList{ListMeta: in.ListMeta, Items: make([]eventsv1.Event, len(in.Items))}
	for i := range in.Items {
		eventFromCore(&in.Items[i], &out.Items[i])
	}
}

// eventFields are the fields of an Event that a field selector may name, besides the metadata.
func eventFields(event *corev1.Event) fields.Set {
	source := event.Source.Component
	if source == "" {
		source = event.ReportingController
	}
	return fields.Set{
		"involvedObject.kind":            event.InvolvedObject.Kind,
		"involvedObject.namespace":       event.InvolvedObject.Namespace,
		"involvedObject.name":            event.InvolvedObject.Name,
		"involvedObject.uid":             string(event.InvolvedObject.UID),
		"involvedObject.apiVersion":      event.InvolvedObject.APIVersion,
		"involvedObject.resourceVersion": event.InvolvedObject.ResourceVersion,
		"involvedObject.fieldPath":       event.InvolvedObject.FieldPath,
		"reason":                         event.Reason,
		"reportingComponent":             event.ReportingController,
		"source":                         source,
		"type":                           event.Type,
	}
}

func eventAttributes(object runtime.Object) (labels.Set, fields.Set, error) {
	event, ok := object.(*corev1.Event)
	if !ok {
		return nil, nil, fmt.Errorf("%T is not an Event", object)
	}
	set := eventFields(event)
	set["metadata.name"], set["metadata.namespace"] = event.Name, event.Namespace
	return event.Labels, set, nil
}

// selectCoreEvents returns the field that a field selector of the core group's Events names.
func selectCoreEvents(label, value string) (string, string, error) {
	if _, ok := eventFields(&corev1.Event{})[label]; ok {
		return label, value, nil
	}
	return runtime.DefaultMetaV1FieldSelectorConversion(label, value)
}

// selectEvents does this for events.k8s.io, where some fields have other names.
func selectEvents(label, value string) (string, string, error) {
	if rest, ok := strings.CutPrefix(label, "regarding."); ok {
		label = "involvedObject." + rest
	} else if label == "reportingController" {
		label = "reportingComponent"
	}
	return selectCoreEvents(label, value)
}
