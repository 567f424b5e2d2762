package cache

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ScopeSource sets the scopes that an informer follows; ScopesOf returns one. Run of the informer calls it. It calls set
// with all scopes each time they change, and returns when ctx ends. Several goroutines may call set. Its error is that of
// SharedIndexInformer.SetScopes. When the scopes no longer change, a source may return nil earlier. If it returns an
// error earlier, Status has the error, the scopes stay, and the informer calls it again after a delay.
type ScopeSource func(ctx context.Context, set func(scopes ...Scope) error) error

// sourceKey is the context key of the sourceReport of a ScopeSource.
type sourceKey struct{}

// sourceReport has the functions by which a source reports to its informer, besides set.
type sourceReport struct {
	// failed sets the error of a source that continues, or nil.
	failed func(error)
	// of sets the informer whose objects are the scopes.
	of func(sourceInformer)
}

// sourceInformer is an informer whose objects are the scopes of another one.
type sourceInformer interface {
	NotSyncedReason() string
	Status() Status
	Resource() schema.GroupVersionResource
}

func reportOf(ctx context.Context) sourceReport {
	report, ok := ctx.Value(sourceKey{}).(sourceReport)
	if !ok { // the program calls the source, not the informer
		return sourceReport{func(error) {}, func(sourceInformer) {}}
	}
	return report
}

// errNoScopes is the error of a source that has returned before it called set.
var errNoScopes = errors.New("the scope source returned before it called set; call set with the scopes, or with none")

// sourceWorked is how long a call of a source that has set scopes must run before its failure resets the backoff.
// Otherwise a source that fails soon after each set would be called each second.
const sourceWorked = time.Minute
