package fields

import (
	"maps"
	"reflect"
)

// KeepTimes returns obj with the managedFields of live, if the two objects differ in the times of
// these only. Otherwise it returns obj.
func KeepTimes(live, obj map[string]any) map[string]any {
	before, after := stored(live), stored(obj)
	if len(before) != len(after) || len(after) == 0 {
		return obj
	}
	differ := false
	for i := range after {
		b, _ := before[i].(map[string]any)
		a, _ := after[i].(map[string]any)
		if !equalBut(a, b, "time") {
			return obj
		}
		differ = differ || a["time"] != b["time"]
	}
	if !differ || !equalBut(live, obj, "metadata") ||
		!equalBut(live["metadata"].(map[string]any), obj["metadata"].(map[string]any), "managedFields") {
		return obj
	}
	out := maps.Clone(obj)
	out["metadata"] = live["metadata"]
	return out
}

// equalBut reports whether two maps are equal except for a key.
func equalBut(a, b map[string]any, key string) bool {
	without := func(m map[string]any) int {
		if _, ok := m[key]; ok {
			return len(m) - 1
		}
		return len(m)
	}
	if without(a) != without(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; k != key && (!ok || !reflect.DeepEqual(v, w)) {
			return false
		}
	}
	return true
}
