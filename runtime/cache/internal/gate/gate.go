// Package gate decides which objects enter a cache: all that a server or a client has sent comes through a Gate, and only
// objects of the Go type and of the scope pass.
//
//	Bodies, or Client and Sharded ─▶ Gate: scope, Go type, what options leave out, transform ─▶ pages, events
package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Transform changes an object before it enters a cache. Package cache documents it as TransformFunc.
type Transform = func(wire.Object) (wire.Object, error)

// Settings are where a Gate gets objects, and which of them pass.
type Settings struct {
	// Form stores objects of the Go type.
	Form store.Form
	// Open returns bodies. Client is used if it is nil.
	Open   source.Open
	Client source.Source
	Decode *wire.Options // which do not change
	// Held, if it is not nil, has objects that need not be decoded again.
	Held source.Held
	// Shared is set if the objects may be shared with others: no one writes to them.
	Shared    bool
	Transform Transform
	// Namespace, if it is not empty, is the namespace of all objects: another one is an error.
	Namespace string
	// Rule tells which objects the scope does not have.
	Rule *scoping.Rule
	// ObjectError returns the error about an object that cannot be stored.
	ObjectError func(name listed.Name, err error) error
}

// Gate is a source.Source.
type Gate struct {
	settings Settings
	source   source.Source
	// trim drops from objects of a client the fields that our decoder does not decode. It is nil for our decoder.
	trim func(wire.Object)
}

// New returns a Gate.
func New(settings Settings) *Gate {
	g := &Gate{settings: settings}
	if settings.Open != nil {
		g.useBodies()
		return g
	}
	g.trim = wire.Trimmer(settings.Decode)
	if g.source = settings.Client; !settings.Rule.Selector().Empty() {
		g.source = &source.Sharded{Source: g.source, Shard: settings.Rule.Selector()}
	}
	return g
}

// useBodies makes the source that decodes bodies.
func (g *Gate) useBodies() {
	s := &g.settings
	options := *s.Decode
	if s.Transform != nil {
		options.Packer = nil // no text has the result of a transform
	}
	// Objects of a cache are read-only, but a transform may write to them.
	options.ReadOnly = options.ReadOnly || s.Shared && s.Transform == nil
	if rule := s.Rule; rule != nil && rule.Others != nil {
		others, keep := rule.Others, options.Keep
		options.Keep = func(h wire.Head) bool { return others.HasText(h.Namespace) && (keep == nil || keep(h)) }
	}
	g.source = source.NewBodies(s.Open, s.Form.Type(), source.InShard(options, s.Rule.Selector()), s.Held)
}

// SetTransform replaces Settings.Transform. It is called before the first request.
func (g *Gate) SetTransform(transform Transform) {
	g.settings.Transform = transform
	if g.settings.Open != nil {
		g.useBodies()
	}
}

// Unwrap returns the source of the objects.
func (g *Gate) Unwrap() source.Source { return g.source }

// List reads one page.
func (g *Gate) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := g.source.List(ctx, options)
	if err == nil {
		err = source.CheckShard(&page, g.settings.Rule.Selector())
	}
	if err != nil {
		return wire.Page{}, err
	}
	if g.settings.Rule.HasTerms() {
		if page.First == "" && len(page.Items) > 0 {
			page.First = listed.NameOf(&page.Items[0]).String()
		}
		page.Items = slices.DeleteFunc(page.Items, func(item wire.Item) bool { return g.excludes(&item) })
	}
	for i := range page.Items {
		if err := g.admit(&page.Items[i]); err != nil {
			return wire.Page{}, err
		}
	}
	return page, nil
}

// Watch opens a stream.
func (g *Gate) Watch(ctx context.Context, options metav1.ListOptions) (source.Stream, error) {
	stream, err := g.source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return source.Each(stream, g.change), nil
}

// change lets an event through, without its object if that is not of the scope.
func (g *Gate) change(event *wire.Event) error {
	if event.Type == watch.Bookmark || event.Type == wire.LeftOut {
		return nil
	}
	isNoLongerKept := event.Type == wire.NoLongerKept
	if g.excludes(&event.Item) {
		*event = wire.Event{Type: wire.LeftOut, ResourceVersion: event.ResourceVersion, Dropped: event.Dropped}
		if isNoLongerKept {
			event.Dropped++
		}
		return nil
	}
	if isNoLongerKept {
		return nil
	}
	return g.admit(&event.Item)
}

// Decode decodes one object, such as the response to a write.
func (g *Gate) Decode(body []byte) (wire.Item, error) {
	item, err := source.Decode(g.source, body)
	if err == nil {
		item.Object, err = g.object(item.Object)
	}
	return item, err
}

// excludes reports whether an item is about an object outside the scope. A server may ignore field selectors, as fakes do.
func (g *Gate) excludes(item *wire.Item) bool {
	if !g.settings.Rule.HasTerms() { // nearly always
		return false
	}
	name := listed.NameOf(item)
	return g.settings.Rule.Excludes(name.Namespace, name.Name)
}

// admit checks and transforms the object of an item.
func (g *Gate) admit(item *wire.Item) (err error) {
	if g.settings.Namespace != "" {
		if name := listed.NameOf(item); name.Namespace != g.settings.Namespace {
			// No relist of this namespace would remove it from the cache.
			return g.settings.ObjectError(name, fmt.Errorf("the server sent the object for namespace %s", g.settings.Namespace))
		}
	}
	if item.Err == nil && !item.Held { // a held object is the result of the transform
		item.Object, err = g.object(item.Object)
	}
	return err
}

// object returns obj after the transform, without the parts that options leave out.
func (g *Gate) object(obj wire.Object) (wire.Object, error) {
	if form := &g.settings.Form; !form.Accepts(obj) {
		return nil, g.settings.ObjectError(listed.NameOfObject(obj), source.UnexpectedType(obj, form.Type()))
	}
	if g.trim != nil {
		g.trim(obj)
	}
	if g.settings.Transform == nil {
		return obj, nil
	}
	name := listed.NameOfObject(obj) // before the transform may change it
	result, err := g.settings.Transform(obj)
	if err == nil && result == nil {
		err = errors.New("the function returned neither an object nor an error")
	}
	if err == nil && listed.NameOfObject(result) != name {
		err = errors.New("the function changed the name or the namespace of the object")
	}
	if err != nil {
		return result, g.settings.ObjectError(name, fmt.Errorf("transform: %w", err))
	}
	return result, nil
}
