package fields

import (
	"cmp"
	"slices"
	"time"
)

// stored returns the managedFields of an object.
func stored(obj map[string]any) []any {
	metadata, _ := obj["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	return list
}

// compareEntries orders the managedFields of an object as a FieldManager does. Times are UTC, so that their order is that
// of the strings.
func compareEntries(a, b any) int {
	x, y := a.(map[string]any), b.(map[string]any)
	for _, name := range []string{"operation", "time", "manager", "apiVersion", "subresource"} {
		of, _ := x[name].(string)
		other, _ := y[name].(string)
		if order := cmp.Compare(of, other); order != 0 {
			return order
		}
	}
	return 0
}

// Canonical reports whether managedFields are valid, and encoded as a server does it. Then no one has to check them, or
// to encode them again.
func Canonical(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return !isCanonical(v) })
}

func isCanonical(v any) bool {
	entry, ok := v.(map[string]any)
	if !ok || entry["fieldsType"] != "FieldsV1" || entry["operation"] != "Apply" && entry["operation"] != "Update" {
		return false
	}
	for key, v := range entry {
		switch key {
		case "manager", "subresource":
			text, is := v.(string)
			ok = is && len(text) <= maxManager && (key == "subresource" || isPrintable(text))
		case "apiVersion":
			text, is := v.(string)
			ok = is && text != ""
		case "time":
			text, is := v.(string)
			ok = is && IsTime(text)
		case "fieldsV1":
			_, ok = v.(map[string]any)
		case "operation", "fieldsType":
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return entry["fieldsV1"] != nil && entry["apiVersion"] != nil
}

// IsTime reports whether text is as metav1.Time encodes a time.
func IsTime(text string) bool {
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && timestamp(t) == text
}

// maxManager is the length that the name of a manager may have, in bytes.
const maxManager = 128

// isPrintable reports whether a string has printable ASCII characters only.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// timestamp returns a time as metav1.Time encodes it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
