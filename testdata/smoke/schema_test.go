package smoke

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/typedinformers/informer-gen/testdata/generated/applyconfiguration"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/scheme"
)

// TestSchemaNames converts an object of each kind with an apply configuration. The converter finds its type by the
// name that the scheme gives it.
func TestSchemaNames(t *testing.T) {
	converter := applyconfiguration.NewTypeConverter(scheme.Scheme)
	converted := 0
	for gvk := range scheme.Scheme.AllKnownTypes() {
		_, canApply := applyconfiguration.ForKind(gvk).(interface{ IsApplyConfiguration() })
		if !canApply {
			continue
		}
		obj, err := scheme.Scheme.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "a"}}`, gvk.GroupVersion().String(), gvk.Kind)
		if err := json.Unmarshal([]byte(text), obj); err != nil { // which allocates embedded pointers too
			t.Fatal(err)
		}
		if _, err := converter.ObjectToTyped(obj); err != nil {
			t.Errorf("%v: %v", gvk, err)
		}
		converted++
	}
	if converted < 20 {
		t.Errorf("only %d kinds have an apply configuration", converted)
	}
}
