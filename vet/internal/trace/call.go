package trace

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
)

func (w *walk) call(value ssa.Value, depth int, instr ssa.CallInstruction) {
	call := instr.Common()
	if builtin, is := call.Value.(*ssa.Builtin); is {
		w.builtin(builtin.Name(), value, depth, instr)
		return
	}
	if call.Value == value && !call.IsInvoke() { // a sequence of objects, whose argument is the body of a loop
		w.sequence(depth, call)
		return
	}
	for n, argument := range arguments(call) {
		if argument == value {
			w.argument(n, value, depth, instr)
		}
	}
}

// arguments returns the arguments of a call, the receiver being the first.
func arguments(call *ssa.CallCommon) []ssa.Value {
	if call.IsInvoke() {
		return slices.Concat([]ssa.Value{call.Value}, call.Args)
	}
	return call.Args
}

func (w *walk) builtin(name string, value ssa.Value, depth int, instr ssa.CallInstruction) {
	call, is := instr.(*ssa.Call)
	if !is {
		return
	}
	first := call.Call.Args[0] == value
	switch name {
	case "append":
		switch {
		case first && depth == 0:
			w.append(value, instr)
		case first:
			w.mark(call, depth)
		default:
			w.markElements(call, call.Type(), depth)
		}
	case "copy":
		if first && depth == 0 {
			w.write(Write{Instr: instr, Value: value, What: "copy to " + describe(value)})
		} else if !first {
			w.markElements(call.Call.Args[0], call.Call.Args[0].Type(), depth)
		}
	case "delete":
		if first && depth == 0 {
			w.write(Write{Instr: instr, Value: value, What: "delete from " + describe(value)})
		}
	case "clear":
		if depth == 0 {
			w.write(Write{Instr: instr, Value: value, What: "clear " + describe(value)})
		}
	}
}

// append reports an append to a slice of an object. One to a part of it, as in append(s[:n], s[n+1:]...), overwrites elements. Another one
// may write behind the slice, which harms no reader, but another append: it counts only where the field is in sight.
func (w *walk) append(value ssa.Value, instr ssa.CallInstruction) {
	if part, is := value.(*ssa.Slice); is {
		if part.High != nil && part.Max == nil {
			w.write(Write{Instr: instr, Value: value, What: "append to a part of " + describe(value)})
		}
		return
	}
	load, is := value.(*ssa.UnOp)
	if !is || w.ofArgument {
		return
	}
	if _, is := load.X.(*ssa.FieldAddr); is {
		w.write(Write{Instr: instr, Value: value, What: "append to " + describe(value)})
	}
}

// markElements follows elements that were copied to a slice.
func (w *walk) markElements(to ssa.Value, slice types.Type, depth int) {
	if elements, is := slice.Underlying().(*types.Slice); is && caches.HasReferences(elements.Elem()) {
		w.mark(to, max(depth, 1))
	}
}

func (w *walk) sequence(depth int, call *ssa.CallCommon) {
	if len(call.Args) != 1 {
		return
	}
	body := call.Args[0]
	if closure, is := body.(*ssa.MakeClosure); is {
		body = closure.Fn
	}
	if literal, is := body.(*ssa.Function); is {
		for _, param := range literal.Params {
			w.mark(param, loaded(depth))
		}
	}
}

func (w *walk) argument(n int, value ssa.Value, depth int, instr ssa.CallInstruction) {
	common := instr.Common()
	summary := w.summary(common, n, depth)
	if summary.Writes != "" {
		w.write(Write{Instr: instr, Value: value, What: summary.Writes, At: summary.At})
	}
	call, is := instr.(*ssa.Call)
	if !is {
		return
	}
	for result, depth := range summary.Returns {
		if call.Call.Signature().Results().Len() == 1 {
			w.mark(call, depth)
			continue
		}
		for _, referrer := range *call.Referrers() {
			if extract, is := referrer.(*ssa.Extract); is && extract.Index == result {
				w.mark(extract, depth)
			}
		}
	}
}

// summary returns what a call does with an argument.
func (w *walk) summary(call *ssa.CallCommon, argument, depth int) Summary {
	fn := caches.Callee(call)
	if fn != nil {
		if known, is := w.known(fn, call, argument, depth); is {
			return known
		}
	}
	if callee := w.Program.Callee(call); callee != nil {
		return w.Summary(callee, argument, depth)
	}
	if fn != nil && !call.IsInvoke() && w.Imported != nil {
		return w.Imported(fn, argument, depth)
	}
	return Summary{}
}

// writers are functions of libraries that write to an argument.
var writers = map[string]int{
	"sort.Slice": 0, "sort.SliceStable": 0, "sort.Sort": 0, "sort.Stable": 0, "sort.Strings": 0, "sort.Ints": 0,
	"slices.Sort": 0, "slices.SortFunc": 0, "slices.SortStableFunc": 0, "slices.Reverse": 0, "slices.Delete": 0, "slices.DeleteFunc": 0,
	"slices.Compact": 0, "slices.CompactFunc": 0, "maps.Copy": 0, "maps.DeleteFunc": 0,
	"encoding/json.Unmarshal": 1, "sigs.k8s.io/yaml.Unmarshal": 1,
	caches.Meta + ".SetMetaDataAnnotation": 0, caches.Meta + ".SetMetaDataLabel": 0,
	"k8s.io/apimachinery/pkg/api/meta.SetStatusCondition": 0, "k8s.io/apimachinery/pkg/api/meta.RemoveStatusCondition": 0,
}

func init() {
	for name, argument := range map[string]int{
		"AddFinalizer": 0, "RemoveFinalizer": 0, "SetControllerReference": 1, "SetOwnerReference": 1, "RemoveControllerReference": 1, "RemoveOwnerReference": 1,
		"CreateOrUpdate": 2, "CreateOrPatch": 2,
	} {
		writers[caches.ControllerRuntime+"pkg/controller/controllerutil."+name] = argument
	}
	for _, name := range []string{"SetNestedField", "SetNestedMap", "SetNestedSlice", "SetNestedStringMap", "SetNestedStringSlice", "RemoveNestedField"} {
		writers[unstructuredPath+"."+name] = 0
	}
}

const unstructuredPath = caches.Meta + "/unstructured"

// known returns what the functions and methods of the libraries of Kubernetes do.
func (w *walk) known(fn *types.Func, call *ssa.CallCommon, argument, depth int) (Summary, bool) {
	receiver := caches.Receiver(fn)
	writes := Summary{Writes: "call of " + fn.Name()}
	same := Summary{Returns: map[int]int{0: depth}}
	if receiver == nil {
		if written, is := writers[caches.Path(fn)+"."+fn.Name()]; is {
			// The memory of a new slice is the program's, and sorting it is no write to the cache.
			if written == argument && depth == 0 {
				return writes, true
			}
			return Summary{}, true
		}
		if caches.IsFunc(fn, "k8s.io/apimachinery/pkg/api/meta", "Accessor") || caches.IsFunc(fn, unstructuredPath, "NestedFieldNoCopy") {
			return same, argument == 0
		}
		return Summary{}, false
	}
	path, name := caches.Named(receiver)
	switch {
	case fn.Name() == "DeepCopyInto":
		if argument == 1 && depth == 0 {
			return writes, true
		}
		return Summary{}, true
	case strings.HasPrefix(fn.Name(), "DeepCopy"):
		if w.ThroughCopies && argument == 0 {
			return same, true
		}
		return Summary{}, true
	case caches.ClientMethod(fn) != "":
		// The response is decoded into the object.
		switch fn.Name() {
		case "Create", "Update", "Patch":
			if argument == 2 && depth == 0 {
				return writes, true
			}
		}
		return Summary{}, true
	case path == caches.Meta || path == unstructuredPath || path == "k8s.io/apimachinery/pkg/runtime/schema":
		return w.meta(fn, name, call, argument, depth), true
	}
	return Summary{}, false
}

// meta is about methods of the metadata. Getters of unstructured objects return copies.
func (w *walk) meta(fn *types.Func, receiver string, call *ssa.CallCommon, argument, depth int) Summary {
	if argument != 0 || depth != 0 {
		return Summary{}
	}
	if strings.HasPrefix(fn.Name(), "Set") || fn.Name() == "UnmarshalJSON" {
		return Summary{Writes: "call of " + fn.Name()}
	}
	switch fn.Name() {
	case "GetObjectKind", "GetObjectMeta", "UnstructuredContent":
		return Summary{Returns: map[int]int{0: 0}}
	case "GetLabels", "GetAnnotations", "GetFinalizers", "GetOwnerReferences", "GetManagedFields":
		if !strings.HasPrefix(receiver, "Unstructured") && !(call.IsInvoke() && w.dynamic) {
			return Summary{Returns: map[int]int{0: 0}}
		}
	}
	return Summary{}
}
