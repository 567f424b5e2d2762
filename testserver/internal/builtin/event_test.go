package builtin

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/randfill"
)

// TestEventConversion converts events with random values in all fields there and back.
func TestEventConversion(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.2)
	for range 100 {
		var core, coreAgain corev1.Event
		var event, eventAgain eventsv1.Event
		fill.Fill(&core)
		fill.Fill(&event)
		eventFromCore(&core, &eventAgain)
		eventToCore(&eventAgain, &coreAgain)
		coreAgain.TypeMeta = core.TypeMeta // the scheme sets it
		if !reflect.DeepEqual(core, coreAgain) {
			t.Fatalf("core/v1 %+v\nis after a conversion %+v", core, coreAgain)
		}
		eventToCore(&event, &coreAgain)
		eventFromCore(&coreAgain, &eventAgain)
		eventAgain.TypeMeta = event.TypeMeta
		if !reflect.DeepEqual(event, eventAgain) {
			t.Fatalf("events.k8s.io/v1 %+v\nis after a conversion %+v", event, eventAgain)
		}
	}
}

func TestEventFieldSelectors(t *testing.T) {
	event := &corev1.Event{InvolvedObject: corev1.ObjectReference{Name: "w", UID: "1"}, Source: corev1.EventSource{Component: "c"}, Reason: "R"}
	event.Name, event.Namespace = "e", "n"
	_, set, err := eventAttributes(event)
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{
		"regarding.name": "w", "involvedObject.uid": "1", "source": "c", "reportingController": "", "reason": "R",
		"metadata.name": "e", "metadata.namespace": "n",
	} {
		field, _, err := selectEvents(label, "")
		if value, ok := set[field]; err != nil || !ok || value != want {
			t.Errorf("%s selects %q by %q, want %q: %v", label, value, field, want, err)
		}
	}
	if _, _, err := selectEvents("spec.nodeName", ""); err == nil {
		t.Error("events have a field spec.nodeName")
	}
}
