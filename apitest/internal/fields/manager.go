package fields

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// Config says what a Manager has to know about a kind.
type Config struct {
	GVK schema.GroupVersionKind
	// Converter has the schema. Without it, the schema comes from Type. Without that, all maps below
	// spec and status are merged, and all lists are atomic.
	Converter managedfields.TypeConverter
	Type      runtime.Object
	// Default sets the defaults of an object. It may be nil.
	Default func(map[string]any)
	// Subresource is status, scale or empty.
	Subresource string
	// HasStatus reports whether the kind has the subresource status, so that other writes leave the
	// status.
	HasStatus bool
	// Others are the other versions of the kind, with their schemas. Fields that were written in a
	// version that is not there lose their managers.
	Others []Config
}

// Manager keeps the managed fields of the objects of a kind, in one version, that are written
// through one endpoint. Its methods may be called concurrently, and do not change their arguments.
// The objects that they return share parts with their arguments.
type Manager struct {
	gvk  schema.GroupVersionKind
	full *managedfields.FieldManager
}

// New returns a Manager.
func New(config Config) (*Manager, error) {
	types := map[schema.GroupVersionKind]managedfields.TypeConverter{}
	// Kubernetes resets the status of the request's version only, and spec and metadata of all
	// versions that have the subresource status.
	left, reset := resets(config), map[string][]string{}
	for i, c := range append([]Config{config}, config.Others...) {
		types[c.GVK] = typeConverterOf(c)
		if len(left) > 0 && (i == 0 || config.Subresource != "" && c.HasStatus) {
			reset[c.GVK.GroupVersion().String()] = left
		}
	}
	versions := converter{types: types, setDefaults: config.Default}
	full, err := smd.NewFieldManager(smd.ByVersion(types), smd.Manager{
		ObjectConvertor: versions, ObjectDefaulter: versions, ObjectCreater: versions,
		Kind: config.GVK, Subresource: config.Subresource, Reset: reset,
	})
	if err != nil {
		return nil, fmt.Errorf("fields: make a manager for %v: %w", config.GVK, err)
	}
	return &Manager{config.GVK, full}, nil
}

// resets returns the fields that a write through an endpoint leaves as they are.
func resets(config Config) []string {
	switch {
	case config.Subresource == "status":
		return []string{"metadata", "spec"}
	case config.Subresource == "" && config.HasStatus:
		return []string{"status"}
	}
	return nil
}

func typeConverterOf(config Config) managedfields.TypeConverter {
	switch {
	case config.Converter != nil:
		return config.Converter
	case config.Type != nil:
		return NewTypeConverter(config.Type)
	}
	return NewTypeConverter(&untyped{})
}

// empty returns an object without any fields.
func (m *Manager) empty() map[string]any {
	return map[string]any{"apiVersion": m.gvk.GroupVersion().String(), "kind": m.gvk.Kind}
}

// Update returns obj with the managedFields that it has if manager writes it in place of live. live
// is nil if obj is new.
func (m *Manager) Update(live, obj map[string]any, manager string, now time.Time) (map[string]any, error) {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("fields: the %s to write has no metadata", m.gvk.Kind)
	}
	before, requested := stored(live), stored(obj)
	if live == nil {
		live = m.empty()
	}
	// The FieldManager removes managedFields from the object that it gets.
	copied := maps.Clone(obj)
	copied["metadata"] = maps.Clone(metadata)
	result, err := m.full.Update(&unstructured.Unstructured{Object: live}, &unstructured.Unstructured{Object: copied}, manager)
	if err != nil {
		// A server does not refuse an object for this. It logs the error and goes on.
		return withFields(obj, before), nil
	}
	out := result.(*unstructured.Unstructured).Object
	return withFields(out, setTimes(stored(out), now, before, requested)), nil
}

// Apply returns the object that results if manager applies config to live, which is nil if there is
// no object. An error is an apierrors.APIStatus if the request is wrong or has conflicts.
func (m *Manager) Apply(live, config map[string]any, manager string, force bool, now time.Time) (map[string]any, error) {
	before := stored(live)
	if live == nil {
		live = m.empty()
	}
	result, err := m.full.Apply(&unstructured.Unstructured{Object: live}, &unstructured.Unstructured{Object: config}, manager, force)
	if err != nil {
		return nil, inOrder(err)
	}
	out := result.(*unstructured.Unstructured).Object
	return withFields(out, setTimes(stored(out), now, before)), nil
}

// inOrder sorts the conflicts of an error by their managers, and the lines of one that has several
// errors. A FieldManager has both in the order of a map.
func inOrder(err error) error {
	if status, ok := err.(*apierrors.StatusError); ok {
		if status.ErrStatus.Details != nil {
			slices.SortStableFunc(status.ErrStatus.Details.Causes, func(a, b metav1.StatusCause) int {
				return cmp.Compare(a.Message, b.Message)
			})
		}
		return err
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) < 3 || !strings.HasSuffix(lines[0], "errors:") {
		return err
	}
	slices.Sort(lines[1:])
	return errors.New(strings.Join(lines, "\n"))
}

// withFields returns obj with other managedFields.
func withFields(obj map[string]any, list []any) map[string]any {
	out := maps.Clone(obj)
	meta := maps.Clone(obj["metadata"].(map[string]any))
	if len(list) == 0 {
		delete(meta, "managedFields")
	} else {
		meta["managedFields"] = list
	}
	out["metadata"] = meta
	return out
}

// setTimes gives the entries that a FieldManager has changed the time now, in place of the time of
// the machine. These are the entries with a time that is not in the lists before.
func setTimes(list []any, now time.Time, before ...[]any) []any {
	known := map[any]bool{nil: true}
	for _, l := range before {
		for _, v := range l {
			if e, ok := v.(map[string]any); ok {
				known[e["time"]] = true
			}
		}
	}
	out := make([]any, 0, len(list))
	for _, v := range list {
		e := v.(map[string]any)
		if !known[e["time"]] {
			e = maps.Clone(e)
			e["time"] = timestamp(now)
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, compareEntries)
	return out
}
