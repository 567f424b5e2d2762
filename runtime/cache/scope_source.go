package cache

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ScopeSource sets the scopes that an informer follows: ScopesFrom, ScopesOf, or a ScopeSourceFunc.
type ScopeSource interface {
	// Follow is called by Run of the informer. It calls set with all scopes each time they change, and returns
	// when ctx ends. Several goroutines may call set. Its error is that of SharedIndexInformer.SetScopes. When the
	// scopes no longer change, Follow may return nil earlier. If it returns an error earlier, Status has the
	// error, the scopes stay, and the informer calls Follow again after a delay.
	Follow(ctx context.Context, set func(scopes ...Scope) error) error
}

// ScopeSourceFunc is a ScopeSource whose Follow is the function.
type ScopeSourceFunc func(ctx context.Context, set func(scopes ...Scope) error) error

// Follow calls f.
func (f ScopeSourceFunc) Follow(ctx context.Context, set func(scopes ...Scope) error) error {
	return f(ctx, set)
}

// ScopesFrom returns the ScopeSource of a channel. When the channel is closed, the last scopes stay.
// Status has the error of invalid scopes until the next scopes arrive. Each value of a channel has one receiver. So a
// second informer with the same source, also one of another kind in a factory, is a mistake in its options, unless
// the first one has ended.
func ScopesFrom(scopes <-chan []Scope) ScopeSource { return &scopesFrom{scopes: scopes} }

type scopesFrom struct {
	scopes <-chan []Scope

	mu sync.Mutex // guards user
	// user is the informer that receives the scopes, or nil.
	user scopeReceiver
}

// scopeReceiver is a SharedIndexInformer of any kind.
type scopeReceiver interface {
	Ended() <-chan struct{}
	name() string
	// scopeChannel returns the channel of ScopesFrom, or nil.
	scopeChannel() <-chan []Scope
}

// Follow sets what the channel has.
func (s *scopesFrom) Follow(ctx context.Context, set func(scopes ...Scope) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case next, open := <-s.scopes:
			if !open {
				return nil
			}
			_ = set(next...) // Status has the error
		}
	}
}

// claim makes an informer the user of the channel. It returns an error if another informer is, or one of others.
func (s *scopesFrom) claim(user scopeReceiver, object reflect.Type, others ...scopeReceiver) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.user != nil {
		others = append(others, s.user)
	}
	for _, other := range others {
		if other.scopeChannel() == s.scopes && !isClosed(other.Ended()) {
			return optionError("ScopesFrom", object, "the informer of %s receives from the same channel, so each would get only some of the scopes; use a channel for each informer, or a source other than ScopesFrom", other.name())
		}
	}
	s.user = user
	return nil
}

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
