package builtin

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// newScheme registers the kinds, each Go type as a version and as the internal version of its group. The handlers
// of k8s.io/apiserver decode into the internal version. As the type is the same, there is nothing to convert.
func newScheme(kinds []kind, withDefaults bool) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	// The options of requests have the version v1 of the core group, for kinds of any group.
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	for _, k := range kinds {
		if !scheme.IsVersionRegistered(k.GroupVersion()) {
			metav1.AddToGroupVersion(scheme, k.GroupVersion())
		}
		internal := schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal}
		for _, version := range []schema.GroupVersion{k.GroupVersion(), internal} {
			scheme.AddKnownTypeWithName(version.WithKind(k.Kind), k.newObject())
			scheme.AddKnownTypeWithName(version.WithKind(k.Kind+"List"), k.newList())
		}
		if err := addIdentity(scheme, k.newObject()); err != nil {
			return nil, fmt.Errorf("register the conversion of %s: %w", k.Kind, err)
		}
	}
	if withDefaults {
		addDefaults(scheme)
	}
	if err := addEvents(scheme); err != nil {
		return nil, fmt.Errorf("register the conversions of events: %w", err)
	}
	return scheme, scheme.AddFieldLabelConversionFunc(corev1.SchemeGroupVersion.WithKind("Namespace"), selectNamespaces)
}

// addIdentity registers the conversion of a Go type to itself, which admission webhooks need. As the handlers allow
// it, the result shares memory.
func addIdentity(scheme *runtime.Scheme, object runtime.Object) error {
	return scheme.AddConversionFunc(object, object, func(from, to any, _ conversion.Scope) error {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
		return nil
	})
}

// addEvents registers Events of events.k8s.io as a version whose internal version is the core group's Event.
func addEvents(scheme *runtime.Scheme) error {
	metav1.AddToGroupVersion(scheme, eventsv1.SchemeGroupVersion)
	scheme.AddKnownTypes(eventsv1.SchemeGroupVersion, &eventsv1.Event{}, &eventsv1.EventList{})
	internal := schema.GroupVersion{Group: eventsv1.GroupName, Version: runtime.APIVersionInternal}
	scheme.AddKnownTypes(internal, &corev1.Event{}, &corev1.EventList{})
	for _, err := range []error{
		addConversion(scheme, eventToCore), addConversion(scheme, eventFromCore),
		addConversion(scheme, eventListToCore), addConversion(scheme, eventListFromCore),
		scheme.AddFieldLabelConversionFunc(corev1.SchemeGroupVersion.WithKind("Event"), selectCoreEvents),
		scheme.AddFieldLabelConversionFunc(otherEvents, selectEvents),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
