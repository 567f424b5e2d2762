package builtin

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// kind has the facts about a kind that the server has to know.
type kind struct {
	schema.GroupVersionKind
	resource, singular string
	clusterScoped      bool
	object, list       reflect.Type // structs
	hasStatus          bool         // and so a subresource status
	hasGeneration      bool         // of the spec
	pending            bool         // the status of a new object has the phase Pending
}

// always are the kinds that each server has.
var always = []runtime.Object{&corev1.Namespace{}, &corev1.Event{}, &coordinationv1.Lease{}}

var (
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	podKind       = schema.GroupKind{Kind: "Pod"}
	nodeKind      = schema.GroupKind{Kind: "Node"}
	eventKind     = schema.GroupKind{Kind: "Event"}
	leaseKind     = schema.GroupKind{Group: coordinationv1.GroupName, Kind: "Lease"}

	// MutatingWebhooks and ValidatingWebhooks are the kinds of webhook configurations, in the version that the API
	// server reads.
	MutatingWebhooks   = admissionregistrationv1.SchemeGroupVersion.WithKind("MutatingWebhookConfiguration")
	ValidatingWebhooks = admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration")

	// otherEvents is the other view of the core group's Events.
	otherEvents        = eventsv1.SchemeGroupVersion.WithKind("Event")
	otherEventsType    = reflect.TypeFor[eventsv1.Event]()
	otherEventListType = reflect.TypeFor[eventsv1.EventList]()
)

// clusterScoped are the kinds without a namespace. The Go types do not tell the scope of a kind.
var clusterScoped = []schema.GroupKind{
	namespaceKind, {Kind: "ComponentStatus"}, {Kind: "Node"}, {Kind: "PersistentVolume"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicyBinding"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"},
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"},
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"},
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"},
	{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"},
	{Group: "networking.k8s.io", Kind: "IngressClass"},
	{Group: "networking.k8s.io", Kind: "IPAddress"},
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"},
	{Group: "node.k8s.io", Kind: "RuntimeClass"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
	{Group: "resource.k8s.io", Kind: "DeviceClass"},
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"},
	{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"},
	{Group: "resource.k8s.io", Kind: "ResourceSlice"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	{Group: "storage.k8s.io", Kind: "CSIDriver"},
	{Group: "storage.k8s.io", Kind: "CSINode"},
	{Group: "storage.k8s.io", Kind: "StorageClass"},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"},
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"},
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"},
}

// pending are the kinds whose new objects have the phase Pending.
var pending = []schema.GroupKind{podKind, {Kind: "PersistentVolume"}, {Kind: "PersistentVolumeClaim"}}

// kindsOf returns the kinds of objects, which are empty objects of k8s.io/api.
func kindsOf(objects []runtime.Object) ([]kind, error) {
	var kinds []kind
	var faults []error
	for _, object := range objects {
		k, err := kindOf(object)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		same := slices.IndexFunc(kinds, func(other kind) bool { return other.GroupKind() == k.GroupKind() })
		switch {
		case k.GroupVersionKind == otherEvents: // each server has them
		case k.Version != MutatingWebhooks.Version && slices.Contains([]schema.GroupKind{MutatingWebhooks.GroupKind(), ValidatingWebhooks.GroupKind()}, k.GroupKind()):
			faults = append(faults, fmt.Errorf("%T: the server calls no webhooks of this version; give &admissionregistrationv1.%s{}", object, k.Kind))
		case same < 0:
			kinds = append(kinds, k)
		case kinds[same].Version != k.Version:
			faults = append(faults, fmt.Errorf("%T: %s is given in version %s too, and the server converts none; give one version", object, k.Kind, kinds[same].Version))
		}
	}
	return kinds, errors.Join(faults...)
}

func kindOf(object runtime.Object) (kind, error) {
	const fix = "give an empty object of a kind with a list type, such as &corev1.ConfigMap{}"
	gvks, _, err := clientscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return kind{}, fmt.Errorf("%T: not a kind of k8s.io/api; %s, and a CRD for a kind of your own", object, fix)
	}
	gvk := gvks[0]
	list, err := clientscheme.Scheme.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	_, metaErr := meta.Accessor(object)
	if err != nil || metaErr != nil {
		return kind{}, fmt.Errorf("%T: not a kind that is stored; %s", object, fix)
	}
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	k := kind{
		GroupVersionKind: gvk,
		resource:         plural.Resource,
		singular:         singular.Resource,
		clusterScoped:    slices.Contains(clusterScoped, gvk.GroupKind()),
		pending:          slices.Contains(pending, gvk.GroupKind()),
		object:           reflect.TypeOf(object).Elem(),
		list:             reflect.TypeOf(list).Elem(),
	}
	if status, ok := k.object.FieldByName("Status"); ok {
		k.hasStatus = true
		if status.Type.Kind() == reflect.Struct {
			_, k.hasGeneration = status.Type.FieldByName("ObservedGeneration")
		}
	}
	return k, nil
}

func (k kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.resource}
}

func (k kind) newObject() runtime.Object { return reflect.New(k.object).Interface().(runtime.Object) }
func (k kind) newList() runtime.Object   { return reflect.New(k.list).Interface().(runtime.Object) }

// shortNames are those that kubectl knows the common kinds by.
var shortNames = map[string][]string{
	"configmaps": {"cm"}, "cronjobs": {"cj"}, "daemonsets": {"ds"}, "deployments": {"deploy"}, "endpoints": {"ep"},
	"events": {"ev"}, "horizontalpodautoscalers": {"hpa"}, "ingresses": {"ing"}, "namespaces": {"ns"},
	"networkpolicies": {"netpol"}, "nodes": {"no"}, "persistentvolumeclaims": {"pvc"}, "persistentvolumes": {"pv"},
	"poddisruptionbudgets": {"pdb"}, "pods": {"po"}, "priorityclasses": {"pc"}, "replicasets": {"rs"},
	"serviceaccounts": {"sa"}, "services": {"svc"}, "statefulsets": {"sts"}, "storageclasses": {"sc"},
}

// specFields returns the fields of an object besides its type, metadata and status.
func specFields(object reflect.Value) []reflect.Value {
	var values []reflect.Value
	for i := range object.NumField() {
		if name := object.Type().Field(i).Name; !slices.Contains([]string{"TypeMeta", "ObjectMeta", "Status"}, name) {
			values = append(values, object.Field(i))
		}
	}
	return values
}
