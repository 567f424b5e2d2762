package generator_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// TestScaleMethods generates the methods of +kubebuilder:subresource:scale in packages of both sorts, as far as the other
// markers allow it.
func TestScaleMethods(t *testing.T) {
	const own = "+genclient:method=GetScale,verb=get,subresource=scale"
	for _, test := range []struct {
		name   string
		marker string
		edit   func(*generator.Options)
		want   string
	}{
		{"genclient", "+genclient", nil, "GetScale UpdateScale"},
		{"kubebuilder", "+kubebuilder:object:root=true", nil, "GetScale UpdateScale"},
		{"a method of the name", "+genclient\n// " + own, nil, "GetScale UpdateScale"},
		{"reads only", "+genclient\n// +genclient:readonly", nil, "GetScale"},
		{"no updates", "+genclient\n// +genclient:skipVerbs=update", nil, "GetScale"},
		{"no verbs", "+genclient\n// +genclient:noVerbs", nil, ""},
		{"genclient with the API of client-go", "+genclient", asClientGo, ""},
		{"kubebuilder with the API of client-go", "+kubebuilder:object:root=true", asClientGo, ""},
		{"a method with the API of client-go", "+genclient\n// " + own, asClientGo, "GetScale"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, options := shopModule(t)
			writeFile(t, filepath.Join(dir, "sales/v1/types.go"), strings.Replace(scaledType, "+kind", test.marker, 1))
			options.Patterns = []string{"./sales/..."}
			if test.edit != nil {
				test.edit(&options)
			}
			if result := write(t, options); len(result.Warnings) > 0 {
				t.Errorf("the warnings are %v", result.Warnings)
			}
			client := readFile(t, filepath.Join(dir, "gen/clientset/versioned/typed/sales/v1/rig.go"))
			for _, method := range []string{"GetScale", "UpdateScale"} {
				want := 0
				if strings.Contains(test.want, method) {
					want = 1
				}
				if got := strings.Count(client, ") "+method+"("); got != want {
					t.Errorf("the client has %d methods %s, want %d", got, method, want)
				}
			}
			server := readFile(t, filepath.Join(dir, "gen/clientset/versioned/fake/server_generated.go"))
			if !strings.Contains(server, `".status.count"`) {
				t.Errorf("the server of the fake clientset does not have the paths:\n%s", server)
			}
		})
	}
}

func asClientGo(options *generator.Options) { options.Informers = generator.InformersClientGo }

const scaledType = `// +groupName=sales.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "sales.example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

// +kind
// +kubebuilder:subresource:scale:specpath=.spec.count,statuspath=.status.count,selectorpath=.status.selector
type Rig struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata\""
	Spec   Half "json:\"spec\""
	Status Half "json:\"status\""
}

type Half struct {
	Count    *uint16 "json:\"count\""
	Selector Selector "json:\"selector\""
}

func (*Rig) DeepCopyObject() runtime.Object { return nil }

type RigList struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ListMeta "json:\"metadata\""
	Items []Rig "json:\"items\""
}

func (*RigList) DeepCopyObject() runtime.Object { return nil }

type Selector string
`
