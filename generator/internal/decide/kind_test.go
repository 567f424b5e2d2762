package decide

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// kindOf assembles one kind from its markers, written as in the source.
func kindOf(t *testing.T, noStatus bool, lines ...string) (*model.Kind, error) {
	t.Helper()
	described := &input.Type{Name: "Order", IsStruct: true, HasTypeMeta: true, HasObjectMeta: true, HasDeepCopyObject: true, HasList: true, HasStatus: !noStatus}
	for n, line := range append([]string{"genclient"}, lines...) {
		described.Markers = append(described.Markers, markers.Parse("+"+line, token.Position{Filename: "types.go", Line: n + 1, Column: 4}, described.Name))
	}
	set, err := decided(t, Input{Run: &input.Run{}, Packages: []*input.Package{{
		Path:           "example.com/shop/v1",
		Types:          []*input.Type{described},
		HasAddToScheme: true,
		GroupVersion:   input.DeclaredGroupVersion{Name: "SchemeGroupVersion", Group: "shop", GroupKnown: true},
	}}})
	if err != nil {
		return nil, err
	}
	return set.Kinds()[0], nil
}

func TestVerbs(t *testing.T) {
	const all = "create update updateStatus delete deleteCollection get list watch patch"
	for _, test := range []struct {
		markers  string
		noStatus bool
		want     string
	}{
		{"", false, all},
		{"", true, "create update delete deleteCollection get list watch patch"},
		{"genclient:noStatus", false, "create update delete deleteCollection get list watch patch"},
		{"genclient:noVerbs", false, ""},
		{"genclient:noVerbs genclient:onlyVerbs=get", false, ""},
		{"genclient:readonly", false, "get list watch"},
		{"genclient:readonly genclient:onlyVerbs=create", false, "create get list watch"},
		{"genclient:onlyVerbs=watch,list,get", false, "get list watch"},
		{"genclient:onlyVerbs=get genclient:onlyVerbs=list", false, "get list"},
		{"genclient:onlyVerbs=updateStatus", true, ""},
		{"genclient:onlyVerbs=get,apply", false, "get"},
		{"genclient:skipVerbs=list,watch,deleteCollection", false, "create update updateStatus delete get patch"},
		{"genclient:skipVerbs=apply,applyStatus", false, all},
		{"genclient:skipVerbs=get genclient:skipVerbs=list", false, "create update updateStatus delete deleteCollection watch patch"},
		{"genclient:onlyVerbs=get,list,watch genclient:skipVerbs=watch", false, "get list"},
		{"genclient:method=Scale,verb=get,subresource=scale", false, all},
	} {
		k, err := kindOf(t, test.noStatus, strings.Fields(test.markers)...)
		if err != nil {
			t.Errorf("%s: %v", test.markers, err)
			continue
		}
		var got []string
		for _, verb := range k.Verbs {
			got = append(got, string(verb))
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: the verbs are %v, want %s", test.markers, got, test.want)
		}
		if want := k.Has("list") && k.Has("watch"); k.HasInformer() != want {
			t.Errorf("%s: HasInformer is %v", test.markers, !want)
		}
	}
}

func TestMarkersOfKind(t *testing.T) {
	k, err := kindOf(t, false, "genclient:nonNamespaced", "resourceName=purchases")
	if err != nil || k.Namespaced || k.Resource != "purchases" || k.Plural != "Orders" {
		t.Errorf("%+v, %v", k, err)
	}
	_, err = kindOf(t, false, "genclient:onlyverbs=get", "genclient:skipVerbs=Get")
	const want = `types.go:2:4: unknown marker +genclient:onlyverbs; did you mean +genclient:onlyVerbs?
types.go:3:4: +genclient:skipVerbs: unknown verb "Get"; did you mean get?`
	if err == nil || err.Error() != want {
		t.Errorf("the errors are\n%v\nwant\n%s", err, want)
	}
}
