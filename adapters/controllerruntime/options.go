package crcache

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// defaultSyncPeriod is the default of controller-runtime.
const defaultSyncPeriod = 10 * time.Hour

// settings are the Options of a Cache with all defaults.
type settings struct {
	config *rest.Config
	// server is the base URL of each client. It is empty if no client can be made.
	server string
	// client refuses redirects to other hosts.
	client *http.Client
	scheme *runtime.Scheme
	// mapper is the Mapper of the options, or uses client.
	mapper        meta.RESTMapper
	failOnMissing bool
	watchErrors   toolscache.WatchErrorHandlerWithContext
	// own tells the informers of the writes of the program. It may be nil.
	own *writes.Observer
	// packing is set by WithPackedObjects, namespaces by WithNamespacesLabeled or WithNamespacesOf, and referenced, which has the references of each
	// kind, by WithReferenced.
	packing    packing
	namespaces *namespaces
	referenced map[schema.GroupVersionKind][]Reference
	// uncached reads from the server. It is nil unless referenced has kinds.
	uncached client.Reader
	// fields has the paths of WithFields. guards refuse updates of objects without the other fields.
	fields map[schema.GroupVersionKind][]string
	guards []*writes.Observer
	// detectsFields is set by WithFieldDetector.
	detectsFields bool
	// decoding has the options of informers that WithReferenceDecoder and WithDecoderCheck stand for.
	decoding []cache.SharedInformerOption

	// byKind has the plans of ByObject. The other two are for all other kinds.
	byKind                map[schema.GroupVersionKind]*plan
	namespaced, clustered *plan
}

// resolve checks options and adds the defaults. options is not changed. The error joins all
// mistakes. The settings are nil if others cannot be looked for.
func resolve(config *rest.Config, options ctrlcache.Options) (*settings, error) {
	if config == nil {
		return nil, errors.New("crcache: the rest.Config is nil; pass the one of the manager")
	}
	config = rest.CopyConfig(config)
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	s := &settings{
		config:        config,
		server:        serverIn(config),
		scheme:        options.Scheme,
		mapper:        options.Mapper,
		failOnMissing: options.ReaderFailOnMissingInformer,
		watchErrors:   options.DefaultWatchErrorHandler,
		referenced:    map[schema.GroupVersionKind][]Reference{},
		byKind:        make(map[schema.GroupVersionKind]*plan, len(options.ByObject)),
	}
	if s.scheme == nil {
		s.scheme = clientscheme.Scheme
	}
	httpClient := options.HTTPClient
	var err error
	if httpClient == nil {
		if httpClient, err = rest.HTTPClientFor(config); err != nil {
			return nil, fmt.Errorf("crcache: cannot make an HTTP client from the rest.Config: %w", err)
		}
	}
	s.client = redirect.Refuse(httpClient)
	if s.mapper == nil {
		if s.mapper, err = apiutil.NewDynamicRESTMapper(config, s.client); err != nil {
			return nil, fmt.Errorf("crcache: cannot make a RESTMapper from the rest.Config: %w", err)
		}
	}
	return s, s.addPlans(&options)
}

// addPlans adds the plans of all kinds.
func (s *settings) addPlans(options *ctrlcache.Options) error {
	global := globalConfig(options)
	var errs []error
	check := func(p *plan, err error) *plan {
		errs = append(errs, err)
		return p
	}
	s.clustered = check(newPlan("Options", map[string]ctrlcache.Config{ctrlcache.AllNamespaces: global}, false))
	s.namespaced = s.clustered
	if len(options.DefaultNamespaces) > 0 {
		namespaces := maps.Clone(options.DefaultNamespaces)
		for name, config := range namespaces {
			namespaces[name] = withDefaults(config, global)
		}
		s.namespaced = check(newPlan("Options.DefaultNamespaces", namespaces, true))
	}
	for obj, byObject := range options.ByObject {
		gvk, err := apiutil.GVKForObject(obj, s.scheme)
		if err != nil {
			errs = append(errs, fmt.Errorf("crcache: Options.ByObject[%T]: %w", obj, err))
			continue
		}
		if s.byKind[gvk] != nil {
			errs = append(errs, fmt.Errorf("crcache: Options.ByObject has two entries for %v; make one of them", gvk))
			continue
		}
		s.byKind[gvk] = check(s.planOf(gvk, &byObject, options))
	}
	return errors.Join(errs...)
}

// planOf returns the plan of a kind in ByObject.
func (s *settings) planOf(gvk schema.GroupVersionKind, byObject *ctrlcache.ByObject, options *ctrlcache.Options) (*plan, error) {
	field := fmt.Sprintf("Options.ByObject[%s]", gvk.Kind)
	mapping, err := s.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, fmt.Errorf("crcache: %s: cannot tell whether it is namespaced: %w", field, err)
	}
	isNamespaced := mapping.Scope.Name() != meta.RESTScopeNameRoot
	if !isNamespaced && byObject.Namespaces != nil {
		return nil, fmt.Errorf("crcache: %s.Namespaces is set, but %s is not namespaced; remove it", field, gvk.Kind)
	}
	global, ofKind := globalConfig(options), kindConfig(byObject)
	namespaces := byObject.Namespaces
	if isNamespaced && namespaces == nil {
		// As in controller-runtime, the settings of these entries precede those of ByObject.
		namespaces = options.DefaultNamespaces
	}
	if len(namespaces) == 0 {
		return newPlan(field, map[string]ctrlcache.Config{ctrlcache.AllNamespaces: withDefaults(ofKind, global)}, false)
	}
	namespaces = maps.Clone(namespaces)
	for name, config := range namespaces {
		config = withDefaults(config, ofKind)
		config = withDefaults(config, options.DefaultNamespaces[name]) // a zero Config has no effect
		namespaces[name] = withDefaults(config, global)
	}
	return newPlan(field+".Namespaces", namespaces, true)
}

// globalConfig returns the Default… fields of options.
func globalConfig(options *ctrlcache.Options) ctrlcache.Config {
	return ctrlcache.Config{
		LabelSelector:         options.DefaultLabelSelector,
		FieldSelector:         options.DefaultFieldSelector,
		Transform:             options.DefaultTransform,
		UnsafeDisableDeepCopy: options.DefaultUnsafeDisableDeepCopy,
		EnableWatchBookmarks:  options.DefaultEnableWatchBookmarks,
		SyncPeriod:            options.SyncPeriod,
	}
}

func kindConfig(o *ctrlcache.ByObject) ctrlcache.Config {
	return ctrlcache.Config{
		LabelSelector:         o.Label,
		FieldSelector:         o.Field,
		Transform:             o.Transform,
		UnsafeDisableDeepCopy: o.UnsafeDisableDeepCopy,
		EnableWatchBookmarks:  o.EnableWatchBookmarks,
		SyncPeriod:            o.SyncPeriod,
	}
}

// withDefaults returns config with the fields of defaults in place of those that are nil.
func withDefaults(config, defaults ctrlcache.Config) ctrlcache.Config {
	if config.LabelSelector == nil {
		config.LabelSelector = defaults.LabelSelector
	}
	if config.FieldSelector == nil {
		config.FieldSelector = defaults.FieldSelector
	}
	if config.Transform == nil {
		config.Transform = defaults.Transform
	}
	if config.UnsafeDisableDeepCopy == nil {
		config.UnsafeDisableDeepCopy = defaults.UnsafeDisableDeepCopy
	}
	if config.EnableWatchBookmarks == nil {
		config.EnableWatchBookmarks = defaults.EnableWatchBookmarks
	}
	if config.SyncPeriod == nil {
		config.SyncPeriod = defaults.SyncPeriod
	}
	return config
}

// planFor returns the plan of a kind.
func (s *settings) planFor(gvk schema.GroupVersionKind, isNamespaced bool) *plan {
	switch p, ok := s.byKind[gvk]; {
	case ok:
		return p
	case isNamespaced:
		return s.namespaced
	}
	return s.clustered
}

// plansOf returns the plans that a kind may have, if it is not known whether it is namespaced.
func (s *settings) plansOf(gvk schema.GroupVersionKind) []*plan {
	if p, ok := s.byKind[gvk]; ok {
		return []*plan{p}
	}
	if s.namespaced == s.clustered {
		return []*plan{s.clustered}
	}
	return []*plan{s.namespaced, s.clustered}
}

// kindIn returns the kind of an object that an option of NewFunc names.
func (s *settings) kindIn(option string, obj client.Object) (schema.GroupVersionKind, error) {
	gvk, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		err = fmt.Errorf("crcache: %s(%T): %w; pass an object of a kind that the scheme has, such as &corev1.Node{}", option, obj, err)
	}
	return gvk, err
}

// checkConfig returns the mistakes in the settings of a namespace, which field names.
func checkConfig(field, namespace string, config *ctrlcache.Config) error {
	var errs []error
	at := fmt.Sprintf("%s[%q]", field, namespace)
	if namespace == ctrlcache.AllNamespaces {
		at = field
	}
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("crcache: %s: "+format, append([]any{at}, args...)...))
	}
	if problems := validation.IsDNS1123Label(namespace); namespace != ctrlcache.AllNamespaces && len(problems) > 0 {
		add("the key cannot be the name of a namespace: %s", strings.Join(problems, "; "))
	}
	// Nothing() is an empty text in a request, which means everything.
	if s := config.LabelSelector; s != nil && !s.Empty() && s.String() == "" {
		add("the label selector selects nothing, which no request can express; use one with a label that no object has")
	}
	if s := config.FieldSelector; s != nil && !s.Empty() && s.String() == "" {
		add("the field selector selects nothing, which no request can express; use one that no object matches")
	}
	if p := config.SyncPeriod; p != nil && *p < 0 {
		add("SyncPeriod is %v; use 0 for no resync", *p)
	}
	return errors.Join(errs...)
}

// sorted returns the keys in the order of requests and messages.
func sorted(namespaces map[string]ctrlcache.Config) []string {
	return slices.Sorted(maps.Keys(namespaces))
}
