package fields

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

const (
	// maxOperations is the number of operations that a JSON patch may have, and maxCopied the number of bytes that these may
	// copy, as for a kube-apiserver.
	maxOperations = 10000
	maxCopied     = 3 << 20
	// maxDepth is how deep the values of a patch may be. No API has half of it, and the time to apply a patch grows with its square.
	maxDepth = 1000
)

// checkDepth returns an error for a text whose objects and lists are too deep inside each other.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: it is more than %d objects and lists deep", maxDepth))
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// JSONPatch applies a JSON patch to a document. If check is set, unknown has the fields of operations
// that do not exist. The errors are as from an API server.
func JSONPatch(doc, patch []byte, check bool) (patched []byte, unknown []error, err error) {
	if err := checkDepth(patch); err != nil {
		return nil, nil, err
	}
	if check {
		var operations []operation
		if unknown, err = kjson.UnmarshalStrict(patch, &operations); err != nil {
			// The API server names its own type here.
			text := strings.ReplaceAll(err.Error(), "fields.operation", "handlers.jsonPatchOp")
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + text)
		}
		for i, err := range unknown {
			unknown[i] = fmt.Errorf("json patch %w", err)
		}
	}
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if len(decoded) > maxOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(
			fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(decoded)))
	}
	if patched, err = applyAll(doc, decoded); err != nil {
		return nil, nil, err
	}
	return patched, unknown, nil
}

// applyAll applies the operations of a JSON patch. Each copy is a step of its own, whose bytes count: the library counts them for the
// whole process or not at all.
func applyAll(doc []byte, patch jsonpatch.Patch) ([]byte, error) {
	isCopy := func(o jsonpatch.Operation) bool { return o.Kind() == "copy" }
	for copied := 0; len(patch) > 0; {
		step := slices.IndexFunc(patch, isCopy)
		switch {
		case step < 0:
			step = len(patch)
		case step == 0:
			step = 1
		}
		next, err := patch[:step].Apply(doc)
		if err != nil {
			return nil, unprocessable(err)
		}
		if isCopy(patch[0]) {
			if copied += max(0, len(next)-len(doc)); copied > maxCopied {
				return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the operations of a JSON patch may copy %d bytes, and these copy more", maxCopied))
			}
		}
		doc, patch = next, patch[step:]
	}
	return doc, nil
}

// unprocessable is the error for a patch that does not fit the object. The API server does not tell
// why.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// MergePatch applies a JSON merge patch to a document. If check is set, duplicates names the fields
// that the patch has twice. The errors are as from an API server.
func MergePatch(doc, patch []byte, check bool) (patched []byte, duplicates []error, err error) {
	if err := checkDepth(patch); err != nil {
		return nil, nil, err
	}
	if check {
		var fields map[string]any
		if duplicates, err = kjson.UnmarshalStrict(patch, &fields); err != nil {
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
	}
	patched, err = jsonpatch.MergePatch(doc, patch)
	if err == jsonpatch.ErrBadJSONPatch {
		err = apierrors.NewBadRequest(err.Error())
	}
	return patched, duplicates, err
}

// StrategicPatch is a strategic merge patch.
type StrategicPatch struct {
	// Fields is the patch.
	Fields map[string]any
	// Duplicates names the fields that the patch has twice.
	Duplicates []error
}

// ParseStrategicPatch reads a strategic merge patch. The errors are as from an API server.
func ParseStrategicPatch(patch []byte) (*StrategicPatch, error) {
	p := &StrategicPatch{}
	err := checkDepth(patch)
	if err != nil {
		return nil, err
	}
	if p.Duplicates, err = kjson.UnmarshalStrict(patch, &p.Fields); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return p, nil
}

// Apply applies the patch to an object, which does not change. empty has the Go type, whose tags
// say how lists are merged.
func (p *StrategicPatch) Apply(obj map[string]any, empty runtime.Object) (map[string]any, error) {
	patched, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(obj), runtime.DeepCopyJSON(p.Fields), empty)
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return nil, apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return nil, unprocessable(err)
	}
	return patched, err
}
