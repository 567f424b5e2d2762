package generator_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// TestDeleteWithResult generates the method for the kinds for which client-gen of v0.38 does, and only if client-go
// has it.
func TestDeleteWithResult(t *testing.T) {
	const method = "\tDeleteWithResult(ctx context.Context, name string, opts metav1.DeleteOptions) (metav1.APIResult, error)\n"
	kinds := map[string]struct {
		marker string
		has    bool
	}{
		"Plain":      {"", true},
		"Undeleted":  {"+genclient:skipVerbs=delete", true}, // each verb is on its own
		"Unresulted": {"+genclient:skipVerbs=deleteWithResult", false},
		"Deleted":    {"+genclient:onlyVerbs=get,delete", false},
		"Resulted":   {"+genclient:onlyVerbs=get,deleteWithResult", true},
		"Read":       {"+genclient:readonly", false},
		"Handmade":   {"+genclient:noVerbs", false},
	}
	api := "// Package v1 is an API.\n//\n// +groupName=sales.example.com\npackage v1\n\n" +
		"import (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n)\n" +
		"\nvar SchemeGroupVersion = schema.GroupVersion{Group: \"sales.example.com\", Version: \"v1\"}\n\nvar AddToScheme = func(*runtime.Scheme) error { return nil }\n"
	for name, kind := range kinds {
		api += "\n// +genclient\n// " + kind.marker + "\ntype " + name + " struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta `json:\"metadata\"`\n}\n" +
			"\ntype " + name + "List struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta `json:\"metadata\"`\n\tItems []" + name + " `json:\"items\"`\n}\n" +
			"\nfunc (*" + name + ") DeepCopyObject() runtime.Object { return nil }\n\nfunc (*" + name + "List) DeepCopyObject() runtime.Object { return nil }\n"
	}
	for _, isNew := range []bool{false, true} {
		dir, options := shopModule(t)
		writeFile(t, filepath.Join(dir, "sales/v1/types.go"), api)
		options.Patterns = []string{"./sales/..."}
		if isNew {
			writeNewClientGo(t, dir)
		}
		write(t, options)
		typed := filepath.Join(dir, "gen/clientset/versioned/typed/sales/v1")
		for name, kind := range kinds {
			content := readFile(t, filepath.Join(typed, strings.ToLower(name)+".go"))
			if got, want := strings.Contains(content, method), kind.has && isNew; got != want {
				t.Errorf("the client of %s (%s) has the method: %v, want %v (client-go has it: %v)", name, kind.marker, got, want, isNew)
			}
		}
		// Client-gen has kept the serializer of the config since the same version.
		if got := strings.Contains(readFile(t, filepath.Join(typed, "sales_client.go")), "\tif config.NegotiatedSerializer == nil {\n"); got != isNew {
			t.Errorf("the clients keep the serializer of their config: %v, want %v", got, isNew)
		}
	}
}

// TestShardSelector generates the option of factories with the API of client-go, if that has it.
func TestShardSelector(t *testing.T) {
	for _, isNew := range []bool{false, true} {
		dir, options := shopModule(t)
		options.Informers = generator.InformersClientGo
		if isNew {
			writeNewClientGo(t, dir)
		}
		write(t, options)
		content := readFile(t, filepath.Join(dir, "gen/informers/externalversions/factory.go"))
		for _, text := range []string{
			"func WithShardSelector(shardSelector sharding.Selector) SharedInformerOption {",
			"informer.SetShardSelector(f.shardSelector)",
			"func WithInformerName(", // the form has all of those before it
		} {
			if got := strings.Contains(content, text); got != isNew {
				t.Errorf("the factory has %s: %v, want %v", text, got, isNew)
			}
		}
	}
}

// writeNewClientGo adds the declarations that the generator looks for in client-go v0.38.
func writeNewClientGo(t *testing.T, dir string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "client-go/gentype/type.go"), "package gentype\n\nfunc (c *Client[T]) DeleteWithResult(ctx context.Context, name string, "+
		"opts metav1.DeleteOptions) (metav1.APIResult, error) {\n}\n")
	writeFile(t, filepath.Join(dir, "client-go/tools/cache/informer.go"), "package cache\n\ntype SharedInformer interface {\n\tSetShardSelector(selector sharding.Selector) error\n}\n")
}
