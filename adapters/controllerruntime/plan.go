package crcache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	goruntime "runtime"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// plan is how the objects of a kind are cached. It does not change.
type plan struct {
	// namespaces has the settings of each namespace. Those of AllNamespaces are for all
	// namespaces without an entry, and for cluster-scoped kinds.
	namespaces map[string]ctrlcache.Config
	// limited is set if the namespaces were named by the user.
	limited bool
	period  time.Duration
	// transforms and shares are set if that is true of at least one namespace; copies, if
	// reads of at least one namespace copy the objects.
	transforms, shares, copies bool
	// withoutManagedFields is set if controller-runtime's TransformStripManagedFields is the
	// transform of all namespaces. Then they are not even decoded, and transforms is not set.
	withoutManagedFields bool
}

// newPlan returns the plan for namespaces, with all defaults applied. It owns the map. field names
// the option for errors.
func newPlan(field string, namespaces map[string]ctrlcache.Config, limited bool) (*plan, error) {
	p := &plan{namespaces: namespaces, limited: limited, period: -1, withoutManagedFields: true}
	var errs []error
	for _, name := range sorted(namespaces) {
		config := copied(namespaces[name])
		namespaces[name] = config
		errs = append(errs, checkConfig(field, name, &config))
		period := ptr.Deref(config.SyncPeriod, defaultSyncPeriod)
		if p.period >= 0 && p.period != period {
			errs = append(errs, fmt.Errorf("crcache: %s[%q].SyncPeriod is %v, and that of another namespace is %v; use one period for all namespaces of a kind", field, name, period, p.period))
		}
		p.period = period
		p.transforms = p.transforms || config.Transform != nil
		p.withoutManagedFields = p.withoutManagedFields && stripsManagedFields(config.Transform)
		if ptr.Deref(config.UnsafeDisableDeepCopy, false) {
			p.shares = true
		} else {
			p.copies = true
		}
	}
	p.transforms = p.transforms && !p.withoutManagedFields
	return p, errors.Join(errs...)
}

// stripsManagedFields reports whether transform is a result of TransformStripManagedFields: a
// function literal of the same line of the same file. Its address depends on inlining.
func stripsManagedFields(transform toolscache.TransformFunc) bool {
	return transform != nil && positionOf(transform) == positionOf(ctrlcache.TransformStripManagedFields())
}

func positionOf(transform toolscache.TransformFunc) string {
	pc := reflect.ValueOf(transform).Pointer()
	file, line := goruntime.FuncForPC(pc).FileLine(pc)
	return fmt.Sprintf("%s:%d", file, line)
}

// copied returns config with pointers to values that the user cannot change.
func copied(config ctrlcache.Config) ctrlcache.Config {
	config.UnsafeDisableDeepCopy = copyOf(config.UnsafeDisableDeepCopy)
	config.EnableWatchBookmarks = copyOf(config.EnableWatchBookmarks)
	config.SyncPeriod = copyOf(config.SyncPeriod)
	return config
}

func copyOf[V any](value *V) *V {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}

// config returns the settings of a namespace, and reports whether it is cached.
func (p *plan) config(namespace string) (ctrlcache.Config, bool) {
	config, ok := p.namespaces[namespace]
	if !ok {
		config, ok = p.namespaces[ctrlcache.AllNamespaces]
	}
	return config, ok
}

// sharesIn reports whether reads return objects of a namespace without a copy.
func (p *plan) sharesIn(namespace string) bool {
	if !p.shares || !p.copies {
		return p.shares
	}
	config, _ := p.config(namespace)
	return ptr.Deref(config.UnsafeDisableDeepCopy, false)
}

// transform returns the transform of a namespace, or nil.
func (p *plan) transform(namespace string) toolscache.TransformFunc {
	config, _ := p.config(namespace)
	return config.Transform
}

// resync returns the period with up to ten percent more or less, so that not all informers
// resync at one time.
func (p *plan) resync() time.Duration {
	return time.Duration((0.9 + 0.2*rand.Float64()) * float64(p.period))
}

// scopes returns what to list and to watch.
func (p *plan) scopes(isNamespaced bool) (scopes []cache.Scope) {
	for _, name := range sorted(p.namespaces) {
		config := p.namespaces[name]
		scope := p.scope(name)
		if name == ctrlcache.AllNamespaces && isNamespaced && config.FieldSelector != nil {
			// A selector of one namespace needs the rights in that namespace only.
			if only, exact := config.FieldSelector.RequiresExactMatch("metadata.namespace"); exact {
				if _, named := p.namespaces[only]; named && only != ctrlcache.AllNamespaces {
					continue // that entry is about the same namespace
				}
				scope.Namespace = only
			}
		}
		if scope.Namespace == ctrlcache.AllNamespaces && len(p.namespaces) > 1 {
			scope.OtherNamespaces = true
			scope.FieldSelector = p.excluding(scope.FieldSelector)
		}
		scopes = append(scopes, scope)
	}
	return scopes
}

// scope returns the part of the collection that a namespace has.
func (p *plan) scope(namespace string) cache.Scope {
	config, _ := p.config(namespace)
	scope := cache.Scope{Namespace: namespace}
	if config.LabelSelector != nil {
		scope.LabelSelector = config.LabelSelector.String()
	}
	if config.FieldSelector != nil {
		scope.FieldSelector = config.FieldSelector.String()
	}
	return scope
}

// bookmarks reports whether watches in a namespace request bookmarks.
func (p *plan) bookmarks(namespace string) bool {
	config, _ := p.config(namespace)
	return ptr.Deref(config.EnableWatchBookmarks, true)
}

// excluding returns a field selector that also leaves out the namespaces that have an entry, as that of
// controller-runtime does. The informer drops their objects anyway, so it only saves traffic.
func (p *plan) excluding(byFields string) string {
	terms := []string{byFields}
	if byFields == "" {
		terms = nil
	}
	for _, name := range sorted(p.namespaces) {
		if name != ctrlcache.AllNamespaces {
			terms = append(terms, fields.OneTermNotEqualSelector("metadata.namespace", name).String())
		}
	}
	return strings.Join(terms, ",")
}
