package builtin

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func setMutatingWebhooks(config *admissionregistrationv1.MutatingWebhookConfiguration) {
	for i := range config.Webhooks {
		w := &config.Webhooks[i]
		setCalls(w.ClientConfig, w.Rules)
		or(&w.FailurePolicy, admissionregistrationv1.Fail)
		or(&w.MatchPolicy, admissionregistrationv1.Equivalent)
		or(&w.NamespaceSelector, metav1.LabelSelector{})
		or(&w.ObjectSelector, metav1.LabelSelector{})
		or(&w.TimeoutSeconds, 10)
		or(&w.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
	}
}

func setValidatingWebhooks(config *admissionregistrationv1.ValidatingWebhookConfiguration) {
	for i := range config.Webhooks {
		w := &config.Webhooks[i]
		setCalls(w.ClientConfig, w.Rules)
		or(&w.FailurePolicy, admissionregistrationv1.Fail)
		or(&w.MatchPolicy, admissionregistrationv1.Equivalent)
		or(&w.NamespaceSelector, metav1.LabelSelector{})
		or(&w.ObjectSelector, metav1.LabelSelector{})
		or(&w.TimeoutSeconds, 10)
	}
}

// setCalls sets where and when a webhook is called.
func setCalls(client admissionregistrationv1.WebhookClientConfig, rules []admissionregistrationv1.RuleWithOperations) {
	if client.Service != nil {
		or(&client.Service.Port, 443)
	}
	for i := range rules {
		or(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}
