package testserver

import (
	"context"
	"fmt"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// webhooks calls admission webhooks, with the plugins of kube-apiserver. The plugins follow the configurations with
// informers that are clients of the server.
type webhooks struct {
	plugins   admission.Interface
	factory   informers.SharedInformerFactory
	revisions *revisions
	stopped   func() // nil while the informers never ran
}

// newWebhooks returns nil if no kind of webhook configuration is served.
func newWebhooks(kinds *builtin.Kinds, loopback *rest.Config, calls *calls) (*webhooks, error) {
	known := admission.NewPlugins()
	var names []string
	if kinds.Has(builtin.MutatingWebhooks) {
		mutating.Register(known)
		names = append(names, mutating.PluginName)
	}
	if kinds.Has(builtin.ValidatingWebhooks) {
		validating.Register(known)
		names = append(names, validating.PluginName)
	}
	if len(names) == 0 {
		return nil, nil
	}
	client, err := kubernetes.NewForConfig(loopback)
	if err != nil {
		return nil, fmt.Errorf("build a client for webhook configurations: %w", err)
	}
	configs, err := admission.ReadAdmissionConfiguration(names, "", nil)
	if err != nil {
		return nil, fmt.Errorf("configure webhooks: %w", err)
	}
	w := &webhooks{factory: informers.NewSharedInformerFactory(client, 0), revisions: newRevisions()}
	w.plugins, err = known.NewFromPlugins(names, configs, admission.PluginInitializers{
		initializer.New(client, nil, observedFactory{w.factory, w.revisions}, authorizerfactory.NewAlwaysAllowAuthorizer(),
			utilfeature.DefaultFeatureGate, compatibility.DefaultBuildEffectiveVersion(), nil, nil),
		webhookinit.NewPluginInitializer(calls.resolver, noServices{}),
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("configure webhooks: %w", err)
	}
	return w, nil
}

// start runs the informers, and returns when the plugins have what they list. A write before would wait for a second.
func (w *webhooks) start(ctx context.Context) error {
	running, cancel := context.WithCancel(context.Background())
	w.stopped = func() {
		cancel()
		w.factory.Shutdown()
		w.revisions.stop()
	}
	w.factory.StartWithContext(running)
	if err := w.factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return fmt.Errorf("waiting for the webhook configurations: %w", err)
	}
	for _, handler := range w.revisions.synced {
		select {
		case <-handler.Done():
		case <-ctx.Done():
			return fmt.Errorf("waiting for the webhook configurations: %w", context.Cause(ctx))
		}
	}
	return nil
}

func (w *webhooks) stop() {
	if w.stopped != nil {
		w.stopped()
	}
}
