package later

// Exception are pairs whose type does not embed the interface.
type Exception struct {
	// Type is that of a Pair, or * for all types.
	Type string
	// Interfaces are those of a Pair. One that ends with a slash stands for all interfaces of the packages below.
	Interfaces []string
	Why        string
}

var accepted = []Exception{
	{"*", []string{
		"k8s.io/apimachinery/pkg/apis/meta/v1.Object",
		"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMetaAccessor", "k8s.io/apimachinery/pkg/runtime.Object", "k8s.io/apimachinery/pkg/runtime.Unstructured",
		"sigs.k8s.io/controller-runtime/pkg/cache/cacheapi.Object",
		"k8s.io/apimachinery/pkg/runtime/schema.ObjectKind", "k8s.io/client-go/gentype.objectWithMeta", "k8s.io/client-go/tools/cache.Object",
	}, "the API types of all projects implement it, so a method more would stop each of them"},
	{"*", []string{"k8s.io/client-go/tools/cache.ResourceEventHandler"}, "the handlers of all projects implement it"},
	{"*", []string{"k8s.io/client-go/gentype.namedObject"}, "the apply configurations of all projects implement it"},
	{"*", []string{"k8s.io/apiserver/", "k8s.io/component-base/", "google.golang.org/grpc/"}, "only testserver uses these modules, for tests, and it is made for one version of k8s.io/apiserver"},
	{"*", []string{"golang.org/x/tools/", "github.com/golangci/plugin-module-register/"}, "only the command informer-vet uses these modules, in the versions of its go.mod"},
	{"runtime/cache/internal/cachetest.LineLog", []string{"github.com/go-logr/logr.LogSink"}, "it is for tests of this module"},
	{"runtime/cache/internal/cachetest.ShownLog", []string{"github.com/go-logr/logr.LogSink"}, "it is for tests of this module"},
	{"runtime/cache/internal/cachetest.resourceLog", []string{"github.com/go-logr/logr.LogSink"}, "it is for tests of this module"},
	{"*", []string{"github.com/prometheus/client_golang/"}, "its versions v1 add no method, because the collectors of all projects implement it"},
	{"internal/synced.Checker", []string{"k8s.io/client-go/tools/cache.DoneChecker"}, "the oldest client-go does not have it, and a type parameter cannot be embedded"},
	{"internal/smd.excluding", []string{"sigs.k8s.io/structured-merge-diff/v6/fieldpath.Filter"}, "its module has another path in each version of Kubernetes, and a type parameter cannot be embedded"},
	{"adapters/clientgo.InformerAndLister", []string{"k8s.io/client-go/informers.GenericInformer", "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions.GenericInformer"}, "to embed it is to import all built-in kinds"},
	{"apitest.Tracker", []string{"k8s.io/client-go/testing.ObjectTracker"}, "apitest does not import client-go, and the fakes of generated code embed the interface next to it"},
}

// delegates are types that have some methods of an interface only because they embed it, with the reason why these work.
var delegates = map[string]string{
	"adapters/clientgo.sharedInformer":               "versionedInformer has the rest",
	"adapters/clientgo.controller":                   "versionedController has the rest",
	"adapters/clientgo.registration":                 "versionedRegistration has the rest",
	"adapters/controllerruntime.informer":            "embeds an adapter, and versionedInformer has the rest",
	"adapters/controllerruntime.follower":            "versionedRegistration has the rest",
	"adapters/controllerruntime.versionedController": "embeds the Controller of an adapter",
	"internal/smd.Manager":                           "its user sets the interfaces, which are fields",
	"testserver.observedFactory":                     "embeds a factory of client-go",
	"testserver.observedInformer":                    "embeds an informer of client-go",
}
