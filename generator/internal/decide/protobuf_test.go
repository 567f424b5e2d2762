package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestProtobuf decides which kinds and views request protobuf, without and with --prefers-protobuf.
func TestProtobuf(t *testing.T) {
	withProtobuf := func(path string, described *input.Type) *input.Type {
		described.Protobuf = path
		return described
	}
	external := func(pkg *input.Package) *input.External {
		pkg.Dependency = true
		return &input.External{Package: pkg}
	}
	const core, shop, dep, hidden, command, lookalike = "k8s.io/api/core/v1", "example.com/shop/v1", "example.com/dep/v1", "example.com/dep/internal/v1", "example.com/main/v1", "k8s.io/apis/v1"
	code := externals{
		"k8s.io/api/coordination/v1": external(packageOf("k8s.io/api/coordination/v1", "coordination", withProtobuf("k8s.io/api/coordination/v1", structOf("Lease", "genclient")))),
		dep:                          external(packageOf(dep, "dep", withProtobuf(dep, structOf("Order", "genclient")), structOf("Json", "genclient"))),
		hidden:                       external(packageOf(hidden, "hidden", withProtobuf(hidden, structOf("Order", "genclient")))),
		command:                      external(packageOf(command, "command", withProtobuf(command, structOf("Order", "genclient")))),
	}
	in := Input{
		Run: &input.Run{Layout: model.Layout{OutputPackage: "example.com/shop/generated"}},
		Packages: []*input.Package{
			packageOf(core, "",
				withProtobuf(core, structOf("Pod", "genclient")),
				structOf("Tagless", "genclient")),
			packageOf(lookalike, "lookalike", withProtobuf(lookalike, structOf("Alike", "genclient"))),
			packageOf(shop, "shop",
				structOf("Json", "genclient"),
				withProtobuf(shop, structOf("Order", "genclient")),
				withProtobuf(core, structOf("PodAlias", "genclient")),
				structOf("JsonView", "informer:view=Json"),
				structOf("OrderView", "informer:view=Order"),
				structOf("PodView", "informer:view="+core+".Pod"),
				structOf("LeaseView", "informer:view=k8s.io/api/coordination/v1.Lease"),
				structOf("DepView", "informer:view="+dep+".Order"),
				structOf("DepJsonView", "informer:view="+dep+".Json"),
				structOf("HiddenView", "informer:view="+hidden+".Order"),
				structOf("CommandView", "informer:view="+command+".Order")),
		},
		Code: code,
	}
	code[command].Package.Name = "main"
	for flag, want := range map[bool]string{
		false: "LeaseView Pod PodAlias PodView",
		true:  "Alike DepView LeaseView Order OrderView Pod PodAlias PodView",
	} {
		in.PrefersProtobuf = flag
		set, err := decided(t, in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range set.Informed() {
			if k.Protobuf {
				got = append(got, k.Name)
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("with --prefers-protobuf=%t these kinds and views request protobuf: %s, want %s", flag, text, want)
		}
		if len(set.Warnings) > 0 {
			t.Errorf("there are warnings: %v", set.Warnings)
		}
	}
}

// TestProtobufWithoutEffect warns of a flag that changes nothing.
func TestProtobufWithoutEffect(t *testing.T) {
	for _, flag := range []bool{false, true} {
		set, err := decided(t, Input{Run: &input.Run{PrefersProtobuf: flag}, Packages: []*input.Package{
			packageOf("example.com/shop/v1", "shop", structOf("Order", "genclient"), structOf("View", "informer:view=Order")),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(set.Warnings); strings.Contains(text, "--prefers-protobuf has no effect") != flag || len(set.Warnings) > 1 {
			t.Errorf("with --prefers-protobuf=%t the warnings are %s", flag, text)
		}
	}
}
