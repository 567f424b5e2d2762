package decoding

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authenticationv1alpha1 "k8s.io/api/authentication/v1alpha1"
	authenticationv1beta1 "k8s.io/api/authentication/v1beta1"
	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationv1beta1 "k8s.io/api/authorization/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	nodev1beta1 "k8s.io/api/node/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1alpha1 "k8s.io/api/rbac/v1alpha1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	operatorv1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// kinds are all that have metadata of k8s.io/api, and of others what is special.
var kinds = []kind{
	kindOf[admissionregistrationv1.MutatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1.MutatingAdmissionPolicy](),
	kindOf[admissionregistrationv1.MutatingWebhookConfiguration](),
	kindOf[admissionregistrationv1.ValidatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1.ValidatingAdmissionPolicy](),
	kindOf[admissionregistrationv1.ValidatingWebhookConfiguration](),
	kindOf[admissionregistrationv1alpha1.MutatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1alpha1.MutatingAdmissionPolicy](),
	kindOf[admissionregistrationv1alpha1.ValidatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1alpha1.ValidatingAdmissionPolicy](),
	kindOf[admissionregistrationv1beta1.MutatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1beta1.MutatingAdmissionPolicy](),
	kindOf[admissionregistrationv1beta1.MutatingWebhookConfiguration](),
	kindOf[admissionregistrationv1beta1.ValidatingAdmissionPolicyBinding](),
	kindOf[admissionregistrationv1beta1.ValidatingAdmissionPolicy](),
	kindOf[admissionregistrationv1beta1.ValidatingWebhookConfiguration](),
	kindOf[apiserverinternalv1alpha1.StorageVersion](),
	kindOf[appsv1.ControllerRevision](),
	kindOf[appsv1.DaemonSet](),
	kindOf[appsv1.Deployment](),
	kindOf[appsv1.ReplicaSet](),
	kindOf[appsv1.StatefulSet](),
	kindOf[appsv1beta1.ControllerRevision](),
	kindOf[appsv1beta1.Deployment](),
	kindOf[appsv1beta1.Scale](),
	kindOf[appsv1beta1.StatefulSet](),
	kindOf[appsv1beta2.ControllerRevision](),
	kindOf[appsv1beta2.DaemonSet](),
	kindOf[appsv1beta2.Deployment](),
	kindOf[appsv1beta2.ReplicaSet](),
	kindOf[appsv1beta2.Scale](),
	kindOf[appsv1beta2.StatefulSet](),
	kindOf[authenticationv1.SelfSubjectReview](),
	kindOf[authenticationv1.TokenRequest](),
	kindOf[authenticationv1.TokenReview](),
	kindOf[authenticationv1alpha1.SelfSubjectReview](),
	kindOf[authenticationv1beta1.SelfSubjectReview](),
	kindOf[authenticationv1beta1.TokenReview](),
	kindOf[authorizationv1.LocalSubjectAccessReview](),
	kindOf[authorizationv1.SelfSubjectAccessReview](),
	kindOf[authorizationv1.SelfSubjectRulesReview](),
	kindOf[authorizationv1.SubjectAccessReview](),
	kindOf[authorizationv1beta1.LocalSubjectAccessReview](),
	kindOf[authorizationv1beta1.SelfSubjectAccessReview](),
	kindOf[authorizationv1beta1.SelfSubjectRulesReview](),
	kindOf[authorizationv1beta1.SubjectAccessReview](),
	kindOf[autoscalingv1.HorizontalPodAutoscaler](),
	kindOf[autoscalingv1.Scale](),
	kindOf[autoscalingv2.HorizontalPodAutoscaler](),
	kindOf[batchv1.CronJob](),
	kindOf[batchv1.Job](),
	kindOf[batchv1beta1.CronJob](),
	kindOf[certificatesv1.CertificateSigningRequest](),
	kindOf[certificatesv1.ClusterTrustBundle](),
	kindOf[certificatesv1.PodCertificateRequest](),
	kindOf[certificatesv1alpha1.ClusterTrustBundle](),
	kindOf[certificatesv1beta1.CertificateSigningRequest](),
	kindOf[certificatesv1beta1.ClusterTrustBundle](),
	kindOf[certificatesv1beta1.PodCertificateRequest](),
	kindOf[coordinationv1.Lease](),
	kindOf[coordinationv1alpha2.LeaseCandidate](),
	kindOf[coordinationv1beta1.LeaseCandidate](),
	kindOf[coordinationv1beta1.Lease](),
	kindOf[corev1.Binding](),
	kindOf[corev1.ComponentStatus](),
	kindOf[corev1.ConfigMap](),
	//lint:ignore SA1019 API servers still have them.
	kindOf[corev1.Endpoints](),
	kindOf[corev1.Event](),
	kindOf[corev1.LimitRange](),
	kindOf[corev1.Namespace](),
	kindOf[corev1.Node](),
	kindOf[corev1.PersistentVolumeClaim](),
	kindOf[corev1.PersistentVolume](),
	kindOf[corev1.PodTemplate](),
	kindOf[corev1.Pod](),
	kindOf[corev1.RangeAllocation](),
	kindOf[corev1.ReplicationController](),
	kindOf[corev1.ResourceQuota](),
	kindOf[corev1.Secret](),
	kindOf[corev1.ServiceAccount](),
	kindOf[corev1.Service](),
	kindOf[discoveryv1.EndpointSlice](),
	kindOf[discoveryv1beta1.EndpointSlice](),
	kindOf[eventsv1.Event](),
	kindOf[eventsv1beta1.Event](),
	kindOf[extensionsv1beta1.DaemonSet](),
	kindOf[extensionsv1beta1.Deployment](),
	kindOf[extensionsv1beta1.Ingress](),
	kindOf[extensionsv1beta1.NetworkPolicy](),
	kindOf[extensionsv1beta1.ReplicaSet](),
	kindOf[extensionsv1beta1.Scale](),
	kindOf[flowcontrolv1.FlowSchema](),
	kindOf[flowcontrolv1.PriorityLevelConfiguration](),
	kindOf[flowcontrolv1beta1.FlowSchema](),
	kindOf[flowcontrolv1beta1.PriorityLevelConfiguration](),
	kindOf[flowcontrolv1beta2.FlowSchema](),
	kindOf[flowcontrolv1beta2.PriorityLevelConfiguration](),
	kindOf[flowcontrolv1beta3.FlowSchema](),
	kindOf[flowcontrolv1beta3.PriorityLevelConfiguration](),
	kindOf[lifecyclev1alpha1.EvictionRequest](),
	kindOf[lifecyclev1alpha1.Eviction](),
	kindOf[networkingv1.IPAddress](),
	kindOf[networkingv1.IngressClass](),
	kindOf[networkingv1.Ingress](),
	kindOf[networkingv1.NetworkPolicy](),
	kindOf[networkingv1.ServiceCIDR](),
	kindOf[networkingv1beta1.IPAddress](),
	kindOf[networkingv1beta1.IngressClass](),
	kindOf[networkingv1beta1.Ingress](),
	kindOf[networkingv1beta1.ServiceCIDR](),
	kindOf[nodev1.RuntimeClass](),
	kindOf[nodev1alpha1.RuntimeClass](),
	kindOf[nodev1beta1.RuntimeClass](),
	kindOf[policyv1.Eviction](),
	kindOf[policyv1.PodDisruptionBudget](),
	kindOf[policyv1beta1.Eviction](),
	kindOf[policyv1beta1.PodDisruptionBudget](),
	kindOf[rbacv1.ClusterRoleBinding](),
	kindOf[rbacv1.ClusterRole](),
	kindOf[rbacv1.RoleBinding](),
	kindOf[rbacv1.Role](),
	kindOf[rbacv1alpha1.ClusterRoleBinding](),
	kindOf[rbacv1alpha1.ClusterRole](),
	kindOf[rbacv1alpha1.RoleBinding](),
	kindOf[rbacv1alpha1.Role](),
	kindOf[rbacv1beta1.ClusterRoleBinding](),
	kindOf[rbacv1beta1.ClusterRole](),
	kindOf[rbacv1beta1.RoleBinding](),
	kindOf[rbacv1beta1.Role](),
	kindOf[resourcev1.DeviceClass](),
	kindOf[resourcev1.DeviceTaintRule](),
	kindOf[resourcev1.ResourceClaimTemplate](),
	kindOf[resourcev1.ResourceClaim](),
	kindOf[resourcev1.ResourceSlice](),
	kindOf[resourcev1alpha3.DeviceTaintRule](),
	kindOf[resourcev1alpha3.ResourcePoolStatusRequest](),
	kindOf[resourcev1beta1.DeviceClass](),
	kindOf[resourcev1beta1.ResourceClaimTemplate](),
	kindOf[resourcev1beta1.ResourceClaim](),
	kindOf[resourcev1beta1.ResourceSlice](),
	kindOf[resourcev1beta2.DeviceClass](),
	kindOf[resourcev1beta2.DeviceTaintRule](),
	kindOf[resourcev1beta2.ResourceClaimTemplate](),
	kindOf[resourcev1beta2.ResourceClaim](),
	kindOf[resourcev1beta2.ResourceSlice](),
	kindOf[schedulingv1.PriorityClass](),
	kindOf[schedulingv1alpha3.CompositePodGroup](),
	kindOf[schedulingv1alpha3.PodGroup](),
	kindOf[schedulingv1alpha3.Workload](),
	kindOf[schedulingv1beta1.PodGroup](),
	kindOf[schedulingv1beta1.PriorityClass](),
	kindOf[schedulingv1beta1.Workload](),
	kindOf[storagemigrationv1.StorageVersionMigration](),
	kindOf[storagemigrationv1beta1.StorageVersionMigration](),
	kindOf[storagev1.CSIDriver](),
	kindOf[storagev1.CSINode](),
	kindOf[storagev1.CSIStorageCapacity](),
	kindOf[storagev1.StorageClass](),
	kindOf[storagev1.VolumeAttachment](),
	kindOf[storagev1.VolumeAttributesClass](),
	kindOf[storagev1alpha1.CSIStorageCapacity](),
	kindOf[storagev1alpha1.VolumeAttachment](),
	kindOf[storagev1alpha1.VolumeAttributesClass](),
	kindOf[storagev1beta1.CSIDriver](),
	kindOf[storagev1beta1.CSINode](),
	kindOf[storagev1beta1.CSIStorageCapacity](),
	kindOf[storagev1beta1.StorageClass](),
	kindOf[storagev1beta1.VolumeAttachment](),
	kindOf[storagev1beta1.VolumeAttributesClass](),

	kindOf[apiextensionsv1.CustomResourceDefinition](), // a type that contains itself
	kindOf[metav1.PartialObjectMetadata](),
	kindOf[operatorv1.Database](),
	kindOf[operatorv1.DatabaseClass](),
	kindOf[unstructured.Unstructured](),
	kindOf[pointed](),
	kindOf[slim](),
}

// kind is a type of objects, decoded in both ways.
type kind struct {
	typ reflect.Type
	// ours is what is to be proved.
	ours func(text []byte) (runtime.Object, error)
	// ourShared decodes objects that share parts.
	ourShared func(text []byte) (runtime.Object, error)
	// ourLimited leaves out all that Options can.
	ourLimited func(text []byte) (runtime.Object, error)
}

func kindOf[T any, P interface {
	*T
	wire.Object
}]() kind {
	decode := func(options wire.Options) func(text []byte) (runtime.Object, error) {
		decoder := wire.NewDecoder(reflect.TypeFor[P](), options, nil)
		return func(text []byte) (runtime.Object, error) { return decoder.Decode(text) }
	}
	return kind{
		typ:       reflect.TypeFor[T](),
		ours:      decode(wire.Options{}),
		ourShared: decode(wire.Options{ReadOnly: true}),
		ourLimited: decode(wire.Options{
			WithoutFields: []string{"metadata.managedFields", "metadata.annotations[" + droppedAnnotation + "]"},
		}),
	}
}

// sinkKind is no kind of an API: only some of its objects can be decoded fast.
var sinkKind = kindOf[sink]()

func (k kind) String() string { return k.typ.String() }

func (k kind) new() runtime.Object { return reflect.New(k.typ).Interface().(runtime.Object) }

// theirs is the function that all serializers of apimachinery end in.
func (k kind) theirs(text []byte) (runtime.Object, error) {
	obj := k.new()
	return obj, kjson.UnmarshalCaseSensitivePreserveInts(text, obj)
}

// difference decodes text in both ways; it is empty if the results are equal.
func (k kind) difference(text []byte) string {
	want, wantErr := k.theirs(text)
	before := string(text)
	got, err := k.ours(text)
	if before != string(text) {
		return "decoding changes the text"
	}
	return k.compare(text, got, err, want, wantErr)
}

// compare compares what text was decoded to in both ways. It overwrites text.
func (k kind) compare(text []byte, got runtime.Object, err error, want runtime.Object, wantErr error) string {
	switch {
	case (err != nil) != (wantErr != nil):
		return fmt.Sprintf("%v: error %v, want %v", k, err, wantErr)
	case err != nil:
		return ""
	}
	for i := range text {
		text[i] = 'x' // nothing of the object is part of it
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%v: decoded\n%s\nwant\n%s", k, shown(got), shown(want))
	}
	return ""
}

// limitedDifference decodes text in both ways, but ours without what can be left out;
// it is empty if the results differ by nothing else. Only what is left out may have
// errors then, but none of syntax.
func (k kind) limitedDifference(text []byte) string {
	want, wantErr := k.theirs(text)
	before := string(text)
	got, err := k.ourLimited(text)
	if before != string(text) {
		return "decoding changes the text"
	}
	switch {
	case !json.Valid(text) && err == nil:
		return fmt.Sprintf("%v: no error though it is no JSON: %v", k, wantErr)
	case wantErr != nil:
		return ""
	case err != nil:
		return fmt.Sprintf("%v: error %v, want none", k, err)
	}
	for i := range text {
		text[i] = 'x'
	}
	leaveOut(want)
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%v: decoded\n%s\nwant\n%s", k, shown(got), shown(want))
	}
	return ""
}

// leaveOut removes from a whole object what ourLimited leaves out.
func leaveOut(obj runtime.Object) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
		if notes, _, _ := unstructured.NestedMap(u.Object, "metadata", "annotations"); len(notes) == 1 && notes[droppedAnnotation] != nil {
			unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
		}
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations", droppedAnnotation)
		return
	}
	if hasNoMeta(obj) {
		return
	}
	meta := obj.(metav1.Object)
	if !hasNoManagedFields(obj) {
		meta.SetManagedFields(nil)
	}
	leaveOutNote(meta)
}

// leaveOutNote removes an annotation. A map of which no key is left is left out itself.
func leaveOutNote(obj metav1.Object) {
	if _, has := obj.GetAnnotations()[droppedAnnotation]; has {
		if delete(obj.GetAnnotations(), droppedAnnotation); len(obj.GetAnnotations()) == 0 {
			obj.SetAnnotations(nil)
		}
	}
}

func shown(obj runtime.Object) string { return fmt.Sprintf("%#v %+v", obj, obj) }

func TestKindsAreComplete(t *testing.T) {
	listed := map[reflect.Type]bool{}
	for _, k := range kinds {
		listed[k.typ] = true
	}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if _, ok := reflect.New(typ).Interface().(metav1.Object); ok && gvk.Version != runtime.APIVersionInternal && !listed[typ] {
			t.Errorf("%v is not in the list of kinds", typ)
		}
	}
}
