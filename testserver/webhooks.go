package testserver

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// newWebhooks returns the plugins that call the webhooks of the kinds of configurations that the server has. They read the
// configurations, and the namespaces that these select, from the server itself. The caller starts the informers for that.
func newWebhooks(kinds *builtin.Kinds, loopback *rest.Config, wrapper webhook.AuthenticationInfoResolverWrapper) ([]admission.Interface, informers.SharedInformerFactory, error) {
	client, err := kubernetes.NewForConfig(loopback)
	if err != nil {
		return nil, nil, fmt.Errorf("build a client for webhooks: %w", err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	var plugins []admission.Interface
	if kinds.Has(admissionregistrationv1.SchemeGroupVersion.WithKind("MutatingWebhookConfiguration")) {
		plugin, err := mutating.NewMutatingWebhook(nil)
		if err != nil {
			return nil, nil, fmt.Errorf("build the plugin for mutating webhooks: %w", err)
		}
		plugins = append(plugins, plugin)
	}
	if kinds.Has(admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration")) {
		plugin, err := validating.NewValidatingAdmissionWebhook(nil)
		if err != nil {
			return nil, nil, fmt.Errorf("build the plugin for validating webhooks: %w", err)
		}
		plugins = append(plugins, plugin)
	}
	for _, plugin := range plugins {
		initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(), utilfeature.DefaultFeatureGate, nil, nil, nil).Initialize(plugin)
		webhookinit.NewPluginInitializer(wrapper, noServices{}).Initialize(plugin)
		if err := plugin.(admission.InitializationValidator).ValidateInitialization(); err != nil {
			return nil, nil, fmt.Errorf("build the plugins for webhooks: %w", err)
		}
	}
	return plugins, factory, nil
}
