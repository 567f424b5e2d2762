package writes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// ErrFieldsLeftOut is wrapped by the error of a request that a guard refuses.
var ErrFieldsLeftOut = errors.New("an informer of this program leaves out fields")

// LeftOut tells which fields of the objects of a resource an informer leaves out.
type LeftOut struct {
	Resource schema.GroupResource
	// Only and Without are the paths of cache.WithFields and cache.WithoutFields.
	Only, Without []string
	// Object has the Go type of the objects, whose tags tell which lists a strategic merge patch merges. It is nil if that is not
	// known.
	Object runtime.Object
}

// IsSafe reports whether no write of such an object deletes a field. A server keeps managedFields if a write has none.
func (l *LeftOut) IsSafe() bool {
	mask, err := l.mask()
	return err == nil && mask == nil
}

// mask returns which fields are kept, of those that clients write.
func (l *LeftOut) mask() (*fieldmask.Mask, error) {
	mask, err := fieldmask.Read(l.Only, l.Without)
	return mask.With(fieldmask.Path{{Name: "metadata"}, {Name: "managedFields"}}), err
}

// String names the fields.
func (l *LeftOut) String() string {
	text := strings.Join(l.Without, ", ")
	if len(l.Only) > 0 {
		if text != "" {
			text = ", and " + text
		}
		text = "all but " + strings.Join(l.Only, ", ") + text
	}
	return text
}

// guard refuses writes to a resource.
type guard struct {
	LeftOut
	mask *fieldmask.Mask
}

// Guard refuses requests to a server that would delete fields which an informer leaves out, before they are sent:
//
//   - An update (PUT) of an object, because the server deletes what the object lacks. An update of the status is sent if all of the
//     status is kept; of kinds of Kubernetes also labels and annotations have to be whole, because some of them are updated with
//     the status. An update of the scale is sent, because a Scale is another object.
//   - A patch that replaces a value of which something is left out. A JSON merge patch replaces lists, a strategic merge patch lists
//     that it does not merge, and a JSON patch the values of its operations.
//
// Other patches, and server-side apply, are sent: they name what they change. The guard cannot tell an object of an informer from
// one that was read from the server, also by an informer that has all fields, or that the program has made; Whole is for these. It
// sees only requests that pass a transport of the Observer, to this URL of the server.
//
// server is the argument of Subscribe. A guard stays, because the objects of an informer may be in use after its end. The error is one of
// the paths.
func (o *Observer) Guard(server string, left LeftOut) error {
	mask, err := left.mask()
	if err != nil || mask == nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.serverOf(server)
	isKnown := func(known *guard) bool {
		return known.mask.String() == mask.String() && reflect.TypeOf(known.Object) == reflect.TypeOf(left.Object)
	}
	if known := at.guards[left.Resource]; !slices.ContainsFunc(known, isKnown) {
		at.guards[left.Resource] = append(slices.Clip(known), &guard{left, mask})
	}
	return nil
}

type wholeKey struct{}

// Whole returns a context for a write of an object that lacks no fields, because the program has read it from the server, or has
// made it. No guard refuses its request.
func Whole(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, true) }

// refuse returns the error of a request that a guard refuses. Otherwise it returns the request to send.
func (o *Observer) refuse(request *http.Request) (*http.Request, error) {
	if request.Method != http.MethodPut && request.Method != http.MethodPatch || request.Context().Value(wholeKey{}) != nil {
		return request, nil
	}
	for _, to := range o.guardsOf(request) {
		var err error
		if request.Method == http.MethodPut {
			err = to.guard.refuseUpdate(&to.target)
		} else {
			request, err = to.guard.refusePatch(request, &to.target)
		}
		if err != nil {
			return request, err
		}
	}
	return request, nil
}

// guarded is the target of a request, and a guard of it.
type guarded struct {
	target
	guard *guard
}

func (o *Observer) guardsOf(request *http.Request) (all []guarded) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	o.targets(request.URL, func(s *server, t target) {
		for _, g := range s.guards[t.resource.GroupResource()] {
			all = append(all, guarded{t, g})
		}
	})
	return all
}

// refuseUpdate returns the error of an update.
func (g *guard) refuseUpdate(t *target) error {
	switch t.subresource {
	case "scale":
		return nil
	case "status":
		metadata := g.mask.At("metadata")
		if g.mask.At("status") == nil && (isCustom(t.resource.Group) || metadata.At("labels") == nil && metadata.At("annotations") == nil) {
			return nil
		}
	}
	return g.error("update", t, "the server would delete what the object lacks")
}

// isCustom reports whether a group is none of Kubernetes itself.
func isCustom(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// refusePatch returns the error of a patch, or the patch to send, whose body was read.
func (g *guard) refusePatch(request *http.Request, t *target) (*http.Request, error) {
	kind, _, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	var replaced func(patch any) fieldmask.Path
	switch types.PatchType(kind) {
	case types.MergePatchType:
		replaced = func(patch any) fieldmask.Path { return replacedBy(patch, g.mask, nil) }
	case types.StrategicMergePatchType:
		replaced = func(patch any) fieldmask.Path { return replacedBy(patch, g.mask, reflect.TypeOf(g.Object)) }
	case types.JSONPatchType:
		replaced = func(patch any) fieldmask.Path { return replacedByOperations(patch, g.mask) }
	}
	if replaced == nil || t.subresource == "scale" || request.Body == nil {
		return request, nil
	}
	text, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	request = request.WithContext(request.Context()) // a copy, because a RoundTripper must not change the request of the caller
	request.Body = io.NopCloser(bytes.NewReader(text))
	if err != nil {
		return request, err
	}
	var patch any
	if json.Unmarshal(text, &patch) != nil {
		return request, nil // the server refuses it
	}
	if path := replaced(patch); path != nil {
		return request, g.error("patch", t, "the patch replaces all of "+cmp.Or(path.String(), "the object"))
	}
	return request, nil
}

func (g *guard) error(verb string, t *target, why string) error {
	name := t.name
	if t.namespace != "" {
		name = t.namespace + "/" + name
	}
	return fmt.Errorf("%s of %s %q is refused: %w of %s (%s), and %s; send a patch of the fields that change, or a server-side apply of those that the program owns; if the object is whole, because the program has read it from the server or has made it, pass writes.Whole(ctx)",
		verb, g.Resource, name, ErrFieldsLeftOut, g.Resource, &g.LeftOut, why)
}

// replacedBy returns the path to a value that a merge patch replaces although mask leaves something of it out: a list, or what has
// such a directive of a strategic merge patch. It returns nil if there is none. of is the Go type of the value, whose tags tell which
// lists a strategic merge patch merges. It is nil if none are.
func replacedBy(patch any, mask *fieldmask.Mask, of reflect.Type) fieldmask.Path {
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	members, _ := patch.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value, inner := members[name], mask.At(name)
		if inner == nil || strings.HasPrefix(name, "$") {
			continue
		}
		at := fieldmask.Path{{Name: name, IsKey: mask.IsMap()}}
		field, isMerged := fieldOf(of, name)
		items, isList := value.([]any)
		switch {
		case isList && !isMerged:
			return at
		case isList:
			field = field.Elem()
		default:
			items = []any{value}
		}
		for _, item := range items {
			if isReplacement(item) {
				return at
			}
			if path := replacedBy(item, inner, field); path != nil {
				return append(at, path...)
			}
		}
	}
	return nil
}

// isReplacement reports whether a directive of a strategic merge patch deletes the members that the patch does not name, or replaces
// the list in which it is an item.
// (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md)
func isReplacement(patch any) bool {
	members, _ := patch.(map[string]any)
	_, retains := members["$retainKeys"]
	return retains || members["$patch"] == "replace"
}

// replacedByOperations is replacedBy for a JSON patch. It returns the path of an operation.
func replacedByOperations(patch any, mask *fieldmask.Mask) fieldmask.Path {
	operations, _ := patch.([]any)
	for _, each := range operations {
		operation, _ := each.(map[string]any)
		pointer, _ := operation["path"].(string)
		switch operation["value"].(type) {
		case map[string]any, []any:
		default:
			continue // it has no value, or one without parts
		}
		path := fieldmask.Path{} // not nil
		inner, isItem := mask, false
		for _, name := range strings.Split(pointer, "/")[1:] {
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			// A mask of a list is that of its items. Which keys a mask names is known.
			if _, isNamed := inner.Named()[name]; !isNamed && name != "" && strings.Trim(name, "-0123456789") == "" {
				isItem = true
				continue
			}
			path = append(path, fieldmask.Step{Name: name, IsKey: inner != nil && inner.IsMap()})
			inner, isItem = inner.At(name), false
		}
		isReplaced := operation["op"] == "replace" || operation["op"] == "add" && !isItem // an item is inserted
		if isReplaced && inner != nil {
			return path
		}
	}
	return nil
}

// fieldOf returns the Go type of a member, or nil, and whether it is a list that a strategic merge patch merges.
func fieldOf(of reflect.Type, name string) (field reflect.Type, isMerged bool) {
	switch {
	case of == nil:
	case of.Kind() == reflect.Map:
		return of.Elem(), false
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			f := of.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case tag == name:
				return f.Type, f.Type.Kind() == reflect.Slice && strings.Contains(f.Tag.Get("patchStrategy"), "merge")
			case tag == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
				if field, isMerged = fieldOf(f.Type, name); field != nil {
					return field, isMerged
				}
			}
		}
	}
	return nil, false
}
