package testserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/filters"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/notfoundhandler"
	openapifilter "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// extensions is one run of the API server proper.
type extensions struct {
	server     *apiserver.CustomResourceDefinitions
	namespaces *builtin.Namespaces
	presence   *builtin.Presence // of namespaces
	webhooks   *webhooks         // nil if there are none
	calls      *calls
	run        func(ctx context.Context) error // blocks until the API server has shut down after ctx is done
}

// newExtensions builds the API server between a store and a front. Nothing is served before run.
func newExtensions(settings settings, store *store, front *front, loopback *rest.Config) (*extensions, error) {
	o, err := serverOptions(settings, store.endpoint)
	if err != nil {
		return nil, err
	}
	calls := newCalls()
	config, err := serverConfig(o, settings.kinds, front, loopback, calls)
	if err != nil {
		return nil, err
	}
	presence := builtin.NewPresence()
	plugins := []admission.Interface{noEstablishedDelay{}, lifecycle{presence, settings.needNamespaces}}
	var written func(runtime.Object)
	webhooks, err := newWebhooks(settings.kinds, loopback, calls)
	if err != nil {
		return nil, err
	}
	if webhooks != nil {
		plugins, written = append(plugins, webhooks.plugins), webhooks.revisions.await
	}
	// Never nil: with nil a PATCH while a CRD terminates panics.
	config.GenericConfig.AdmissionControl = admission.NewChainHandler(plugins...)

	completed := config.Complete()
	// Complete turns discovery off, since in a cluster the aggregator in front answers /apis.
	completed.GenericConfig.EnableDiscovery = true

	// The plain empty delegate says 404 for a resource whose CRD is not loaded yet; this one says 503 then.
	delegate := genericapiserver.NewEmptyDelegateWithCustomHandler(
		notfoundhandler.New(config.GenericConfig.Serializer, filters.NoMuxAndDiscoveryIncompleteKey))
	server, err := completed.New(delegate)
	if err != nil {
		return nil, fmt.Errorf("build the API server: %w", err)
	}

	etcd := *o.RecommendedOptions.Etcd
	etcd.StorageConfig.Prefix = "/registry"
	namespaces, err := settings.kinds.Install(server.GenericAPIServer, etcd, builtin.Observers{Namespaces: presence, Webhooks: written})
	if err != nil {
		return nil, fmt.Errorf("build the API server: %w", err)
	}

	// A start hook that fails kills the process, and the one that waits for the CRD informer fails when the
	// server is stopped meanwhile. Start hooks are cancelled after the stop hooks, so this holds them off.
	err = server.GenericAPIServer.AddPreShutdownHook("crd-informer-synced", func() error {
		for _, synced := range server.GenericAPIServer.MuxAndDiscoveryCompleteSignals() {
			<-synced
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("build the API server: %w", err)
	}
	return &extensions{
		server: server, namespaces: namespaces, presence: presence, webhooks: webhooks, calls: calls,
		run: server.GenericAPIServer.PrepareRun().RunWithContext,
	}, nil
}

func (e *extensions) handler() http.Handler { return e.server.GenericAPIServer.Handler }

func serverOptions(settings settings, endpoint string) (*options.CustomResourceDefinitionsServerOptions, error) {
	// The registry of feature gates and versions that the process shares takes settings once only.
	registry := basecompatibility.NewComponentGlobalsRegistry()
	err := registry.Register(basecompatibility.DefaultKubeComponent,
		compatibility.DefaultBuildEffectiveVersion(), utilfeature.DefaultMutableFeatureGate.DeepCopy())
	if err != nil {
		return nil, fmt.Errorf("register the API server's feature gates: %w", err)
	}

	o := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	o.ServerRunOptions = genericoptions.NewServerRunOptionsForComponent(basecompatibility.DefaultKubeComponent, registry)
	// Without a grace period a stop waits a minute for open watches.
	o.ServerRunOptions.ShutdownWatchTerminationGracePeriod = drainTimeout
	if settings.maxRequestsInFlight > 0 {
		o.ServerRunOptions.MaxRequestsInFlight = settings.maxRequestsInFlight
	}
	if settings.minRequestTimeout > 0 {
		o.ServerRunOptions.MinRequestTimeout = int(settings.minRequestTimeout / time.Second)
	}

	// All of these ask a cluster that does not exist. Without them nobody is authenticated, and everything is
	// allowed.
	recommended := o.RecommendedOptions
	recommended.SecureServing = nil
	recommended.Authentication = nil
	recommended.Authorization = nil
	recommended.CoreAPI = nil
	recommended.Admission = nil
	recommended.Features.EnablePriorityAndFairness = false

	recommended.Etcd.StorageConfig.Transport.ServerList = []string{endpoint}
	recommended.Etcd.EnableWatchCache = !settings.disableWatchCache
	// Counting objects for metrics is a goroutine per resource that goes on for seconds after a stop, and
	// complains on standard error that etcd is gone.
	recommended.Etcd.StorageConfig.CountMetricPollPeriod = 0
	if err := o.Complete(); err != nil {
		return nil, fmt.Errorf("complete the API server's options: %w", err)
	}
	return o, nil
}

// serverConfig replaces options.Config, which itself needs the core API's informers.
func serverConfig(o *options.CustomResourceDefinitionsServerOptions, kinds *builtin.Kinds, front *front, loopback *rest.Config, calls *calls) (*apiserver.Config, error) {
	generic := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	// The default checks include one of klog, whose goroutine nobody can stop.
	generic.HealthzChecks = []healthz.HealthChecker{healthz.PingHealthz}
	generic.LivezChecks = []healthz.HealthChecker{healthz.PingHealthz}
	generic.ReadyzChecks = []healthz.HealthChecker{healthz.PingHealthz}

	generic.SecureServing = &genericapiserver.SecureServingInfo{Listener: front.gate, DisableHTTP2: true}
	generic.ExternalAddress = front.address()
	generic.LoopbackClientConfig = loopback

	generic.BuildHandlerChainFunc = func(handler http.Handler, config *genericapiserver.Config) http.Handler {
		return genericapiserver.DefaultBuildHandlerChain(asAdministrator(refuseProtobuf(handler, kinds)), config)
	}

	if err := o.ServerRunOptions.ApplyTo(&generic.Config); err != nil {
		return nil, fmt.Errorf("configure the API server: %w", err)
	}
	generic.EffectiveVersion = namedVersion{generic.EffectiveVersion}
	if err := o.RecommendedOptions.ApplyTo(generic); err != nil {
		return nil, fmt.Errorf("configure the API server: %w", err)
	}
	if err := o.APIEnablement.ApplyTo(&generic.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return nil, fmt.Errorf("configure the API server: %w", err)
	}

	definitions := openapifilter.GetOpenAPIDefinitionsWithoutDisabledFeatures(kinds.Definitions(openapi.GetOpenAPIDefinitions))
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)

	etcd := *o.RecommendedOptions.Etcd
	return &apiserver.Config{
		GenericConfig: generic,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(etcd, generic.ResourceTransformers, generic.StorageObjectCountTracker),
			// With more than one, a CRD is established only after 5 s.
			MasterCount:         1,
			ServiceResolver:     noServices{},
			AuthResolverWrapper: calls.resolver,
		},
	}, nil
}
