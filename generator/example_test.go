package generator_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator"
)

// A module with a kind. The generator reads only the source of the API package here, and looks for one package of
// client-go.
var exampleModule = map[string]string{
	"go.mod": "module example.com/mod\n\ngo 1.25.0\n\nrequire k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./client-go\n",

	"client-go/go.mod":                 "module k8s.io/client-go\n\ngo 1.25.0\n",
	"client-go/discovery/discovery.go": "package discovery\n",

	"shop/v1/order.go": `// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

// Order is a kind.
//
// +genclient
// +informer:index:name=byCustomer,path=spec.customer
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec OrderSpec ` + "`json:\"spec\"`" + `
}

type OrderSpec struct {
	Customer string ` + "`json:\"customer\"`" + `
}

func (o *Order) DeepCopyObject() runtime.Object { copied := *o; return &copied }

type OrderList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []Order ` + "`json:\"items\"`" + `
}

func (l *OrderList) DeepCopyObject() runtime.Object { copied := *l; return &copied }
`,
}

// Generate makes the files in memory. Write changes the disk, and a second run has nothing to write.
func ExampleGenerate() {
	ctx := context.Background()
	dir := newModule(exampleModule)
	defer os.RemoveAll(dir)
	options := generator.Options{Dir: dir, Patterns: []string{"./shop/..."}, OutputDir: "generated"}

	result, err := generator.Generate(ctx, options)
	if err != nil {
		log.Fatal(err) // each mistake with its position and its fix
	}
	for _, decision := range result.Decisions {
		fmt.Println(decision)
	}
	if err := result.Write(ctx); err != nil {
		log.Fatal(err)
	}

	if result, err = generator.Generate(ctx, options); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stale:", result.Stale())
	// Output:
	// output package example.com/mod/generated
	// example.com/mod/shop/v1.Order: resource orders of group "shop.example.com", version v1, namespaced, verbs create,update,delete,deleteCollection,get,list,watch,patch
	// stale: false
}

// A check in CI: the changes, without making them.
func ExampleResult_Diff() {
	ctx := context.Background()
	dir := newModule(exampleModule)
	defer os.RemoveAll(dir)
	options := generator.Options{Dir: dir, Patterns: []string{"./shop/..."}, OutputDir: "generated"}
	result, err := generator.Generate(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	if err := result.Write(ctx); err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "generated", "listers", "shop", "v1", "expansion_generated.go")
	content, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, append(content, "// Edited by hand.\n"...), 0o666); err != nil {
		log.Fatal(err)
	}

	if result, err = generator.Generate(ctx, options); err != nil {
		log.Fatal(err)
	}
	if result.Stale() {
		diff, err := result.Diff()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Changes())
		for line := range strings.Lines(diff) {
			if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
				fmt.Print(line)
			}
		}
	}
	// Output:
	// [change generated/listers/shop/v1/expansion_generated.go]
	// --- a/generated/listers/shop/v1/expansion_generated.go
	// +++ b/generated/listers/shop/v1/expansion_generated.go
	// -// Edited by hand.
}

// Mistakes in the markers have positions. All of them are reported at once.
func ExampleGenerate_mistake() {
	ctx := context.Background()
	module := maps.Clone(exampleModule)
	module["shop/v1/order.go"] = `// +groupName=shop.example.com
package v1

// +genclient:onlyVerb=get
type Order struct{}
`
	dir := newModule(module)
	defer os.RemoveAll(dir)

	_, err := generator.Generate(ctx, generator.Options{Dir: dir, Patterns: []string{"./shop/..."}, OutputDir: "generated"})
	fmt.Println(filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, ".")))
	// Output:
	// ./shop/v1/order.go:4:4: unknown marker +genclient:onlyVerb; did you mean +genclient:onlyVerbs?
}

// A mistake in the options is of type *OptionError, and Message has other names for the fields, such as flags.
func ExampleOptionError() {
	options := generator.Options{Patterns: []string{"./shop/..."}, OutputDir: "generated", ClientsetName: "my-clientset"}

	var mistake *generator.OptionError
	if err := options.Validate(); errors.As(err, &mistake) {
		fmt.Println(mistake.Field)
		fmt.Println(mistake.Message(func(field string) string { return map[string]string{"ClientsetName": "--clientset-name"}[field] }))
	}
	// Output:
	// ClientsetName
	// --clientset-name=my-clientset is not the name of a Go package that others can import; use --clientset-name=versioned
}

// newModule writes files into a new folder.
func newModule(files map[string]string) (dir string) {
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as in positions
	}
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	return dir
}
