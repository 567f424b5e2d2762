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

// TestApplyVerbs follows client-gen: Apply is a verb like others, but only with a package of apply
// configurations.
func TestApplyVerbs(t *testing.T) {
	for _, test := range []struct{ apply, markers, want, client string }{
		{"", "", "", "ClientWithList"},
		{"x.io/apply", "", "apply applyStatus", "ClientWithListAndApply"},
		{"x.io/apply", "genclient:noStatus", "apply", "ClientWithListAndApply"},
		{"x.io/apply", "genclient:noVerbs", "", "Client"},
		{"x.io/apply", "genclient:readonly", "", "ClientWithList"},
		{"x.io/apply", "genclient:skipVerbs=apply,list,deleteCollection", "applyStatus", "ClientWithApply"},
		{"x.io/apply", "genclient:skipVerbs=apply,applyStatus", "", "ClientWithList"},
		{"x.io/apply", "genclient:onlyVerbs=get,apply", "apply", "ClientWithApply"},
		{"", "genclient:onlyVerbs=get,apply", "", "Client"},
		{"x.io/empty", "genclient:skipVerbs=apply,applyStatus", "", "-"},
	} {
		set, err := assembleMethods(t, test.apply, strings.Fields(test.markers)...)
		if test.client == "-" {
			if err == nil || strings.Contains(err.Error(), "kind Order") {
				t.Errorf("%s with %s: %v", test.markers, test.apply, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.markers, err)
			continue
		}
		k := set.Kinds()[0]
		var got []model.Verb
		for _, verb := range k.Verbs {
			if slices.Contains(model.ApplyVerbs, verb) {
				got = append(got, verb)
			}
		}
		if strings.ReplaceAll(model.JoinVerbs(got), ",", "") != test.want || k.Client() != test.client {
			t.Errorf("%s with %q: the verbs are %v and the client is a %s; want %s and %s", test.markers, test.apply, got, k.Client(), test.want, test.client)
		}
		if want := (model.TypeRef{Path: "x.io/apply/shop/v1", Name: "OrderApplyConfiguration"}); (k.Apply == want) != k.NeedsApply() || !k.NeedsApply() && !k.Apply.IsZero() {
			t.Errorf("%s: the apply configuration is %v", test.markers, k.Apply)
		}
	}
}

func TestApplyMistakes(t *testing.T) {
	for apply, want := range map[string]string{
		"x.io/none": "--apply-configuration-package=x.io/none cannot be read: the package does not exist; run applyconfiguration-gen v0.34 or later first, " +
			"and pass its --output-pkg here, or remove the flag",
		"x.io/empty": "--apply-configuration-package=x.io/empty declares no NewTypeConverter; run applyconfiguration-gen v0.34 or later first, and pass its --output-pkg here, or remove the flag\n" +
			"types.go:20:6: kind Order has no apply configuration: package x.io/empty/shop/v1 declares no OrderApplyConfiguration; " +
			"run applyconfiguration-gen for its package first, or add +genclient:skipVerbs=apply,applyStatus",
	} {
		if _, err := assembleMethods(t, apply); err == nil || err.Error() != want {
			t.Errorf("the errors of %s are\n%v\nwant\n%s", apply, err, want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for path, want := range map[string]string{
		"k8s.io/api/apps/v1":                "x.io/apply/apps/v1",
		"example.com/operator/api/v1":       "x.io/apply/api/v1",
		"example.com/operator/apis/Shop/v1": "x.io/apply/shop/v1",
		"example.com/v1":                    "x.io/apply/example.com/v1",
		"v1":                                "x.io/apply/v1",
	} {
		if got := applyPath("x.io/apply", path); got != want {
			t.Errorf("the apply configurations of %s are in %s, want %s", path, got, want)
		}
	}
	packages := []*input.Package{
		{Path: "x.io/shop/v1", Types: []*input.Type{{Markers: markers.List{
			markers.Parse("+genclient:method=A,verb=apply,input=k8s.io/api/autoscaling/v1.Scale", token.Position{}, "Order"),
			markers.Parse("+genclient:method=A,verb=get,result=k8s.io/api/core/v1.Pod", token.Position{}, "Order"),
			markers.Parse("+genclient:method=broken", token.Position{}, "Order"),
		}}}},
		{Path: "x.io/nothing/v1"},
	}
	need := func(run *input.Run) string { return strings.Join(needed(Input{Run: run, Packages: packages}), " ") }
	if got := need(&input.Run{ApplyPackage: "x.io/apply"}); got != "k8s.io/api/autoscaling/v1 k8s.io/api/core/v1 x.io/apply x.io/apply/autoscaling/v1 x.io/apply/shop/v1" {
		t.Errorf("the packages are %s", got)
	}
	if got := need(&input.Run{}); got != "k8s.io/api/autoscaling/v1 k8s.io/api/core/v1" {
		t.Errorf("without a root the packages are %s", got)
	}
}
