package builtin

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// addDefaults registers the function that is called with each object of a kind after it is decoded from a request, a patch or etcd.
// These are the defaults that the reference of the Kubernetes API names for the fields of common kinds. A test in
// test/kubetest compares them with those of a kube-apiserver.
func addDefaults(scheme *runtime.Scheme) {
	addDefault(scheme, setMutatingWebhooks)
	addDefault(scheme, setValidatingWebhooks)
	addDefault(scheme, setPod)
	addDefault(scheme, func(template *corev1.PodTemplate) { setPodSpec(&template.Template.Spec) })
	addDefault(scheme, setDeployment)
	addDefault(scheme, setStatefulSet)
	addDefault(scheme, setDaemonSet)
	addDefault(scheme, func(set *appsv1.ReplicaSet) {
		or(&set.Spec.Replicas, 1)
		setPodSpec(&set.Spec.Template.Spec)
	})
	addDefault(scheme, setJob)
	addDefault(scheme, setCronJob)
	addDefault(scheme, setService)
	addDefault(scheme, setSecret)
	addDefault(scheme, func(claim *corev1.PersistentVolumeClaim) {
		or(&claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	})
	addDefault(scheme, func(volume *corev1.PersistentVolume) {
		or(&volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		orZero(&volume.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
	})
	addDefault(scheme, func(class *storagev1.StorageClass) {
		or(&class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		or(&class.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	})
	addDefault(scheme, func(class *schedulingv1.PriorityClass) { or(&class.PreemptionPolicy, corev1.PreemptLowerPriority) })
	addDefault(scheme, func(binding *rbacv1.RoleBinding) { setBinding(&binding.RoleRef, binding.Subjects) })
	addDefault(scheme, func(binding *rbacv1.ClusterRoleBinding) { setBinding(&binding.RoleRef, binding.Subjects) })
	addDefault(scheme, setNetworkPolicy)
	addDefault(scheme, func(scaler *autoscalingv1.HorizontalPodAutoscaler) { or(&scaler.Spec.MinReplicas, 1) })
	addDefault(scheme, func(scaler *autoscalingv2.HorizontalPodAutoscaler) { or(&scaler.Spec.MinReplicas, 1) })
}

// addDefault registers the function for the kind with the Go type T.
func addDefault[T any, P interface {
	*T
	runtime.Object
}](scheme *runtime.Scheme, set func(*T)) {
	scheme.AddTypeDefaultingFunc(P(new(T)), func(object any) { set(object.(*T)) })
}

// or sets a field that is nil.
func or[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// orZero sets a field that has its zero value.
func orZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func setService(service *corev1.Service) {
	spec := &service.Spec
	orZero(&spec.Type, corev1.ServiceTypeClusterIP)
	orZero(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	if spec.SessionAffinity == corev1.ServiceAffinityClientIP {
		or(&spec.SessionAffinityConfig, corev1.SessionAffinityConfig{})
		or(&spec.SessionAffinityConfig.ClientIP, corev1.ClientIPConfig{})
		or(&spec.SessionAffinityConfig.ClientIP.TimeoutSeconds, corev1.DefaultClientIPServiceAffinitySeconds)
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		or(&spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer {
		orZero(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		or(&spec.AllocateLoadBalancerNodePorts, true)
	}
	for i := range spec.Ports {
		port := &spec.Ports[i]
		orZero(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == (intstr.IntOrString{}) || port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
}

// setSecret also moves stringData, which only requests have, to data.
func setSecret(secret *corev1.Secret) {
	orZero(&secret.Type, corev1.SecretTypeOpaque)
	for key, value := range secret.StringData {
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		secret.Data[key] = []byte(value)
	}
	secret.StringData = nil
}

func setBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	orZero(&role.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		if kind := subjects[i].Kind; kind == rbacv1.UserKind || kind == rbacv1.GroupKind {
			orZero(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}

func setNetworkPolicy(policy *networkingv1.NetworkPolicy) {
	setPorts := func(ports []networkingv1.NetworkPolicyPort) {
		for i := range ports {
			or(&ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
	for _, rule := range policy.Spec.Ingress {
		setPorts(rule.Ports)
	}
	for _, rule := range policy.Spec.Egress {
		setPorts(rule.Ports)
	}
	if len(policy.Spec.PolicyTypes) > 0 {
		return
	}
	policy.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(policy.Spec.Egress) > 0 {
		policy.Spec.PolicyTypes = append(policy.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
}
