package builtin

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// setDefaults sets the defaults of kinds that do not work without them: webhooks without selectors select nothing. The
// defaults of other kinds are in k8s.io/kubernetes.
func setDefaults(object runtime.Object) {
	switch object := object.(type) {
	case *corev1.Secret:
		encodeStringData(object)
		setDefault(&object.Type, corev1.SecretTypeOpaque)
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range object.Webhooks {
			w := &object.Webhooks[i]
			defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, &w.ClientConfig, w.Rules)
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range object.Webhooks {
			w := &object.Webhooks[i]
			defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, &w.ClientConfig, w.Rules)
			setPointer(&w.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
		}
	}
}

// setDefault sets a value that is zero.
func setDefault[V comparable](value *V, to V) {
	var zero V
	if *value == zero {
		*value = to
	}
}

// setPointer sets a pointer that is nil.
func setPointer[V any](value **V, to V) {
	if *value == nil {
		*value = &to
	}
}

// defaultWebhook sets the fields that both sorts of webhooks have.
func defaultWebhook(failure **admissionregistrationv1.FailurePolicyType, match **admissionregistrationv1.MatchPolicyType, namespaces, objects **metav1.LabelSelector,
	timeout **int32, client *admissionregistrationv1.WebhookClientConfig, rules []admissionregistrationv1.RuleWithOperations,
) {
	setPointer(failure, admissionregistrationv1.Fail)
	setPointer(match, admissionregistrationv1.Equivalent)
	setPointer(namespaces, metav1.LabelSelector{})
	setPointer(objects, metav1.LabelSelector{})
	setPointer(timeout, 10)
	if client.Service != nil {
		setPointer(&client.Service.Port, 443)
	}
	for i := range rules {
		setPointer(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

// encodeStringData merges stringData of a Secret, which clients only write, into its data.
func encodeStringData(secret *corev1.Secret) {
	if len(secret.StringData) == 0 {
		return
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for key, text := range secret.StringData {
		secret.Data[key] = []byte(text)
	}
	secret.StringData = nil
}
