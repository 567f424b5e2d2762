package decide

// The names in this file are those that generated files declare or use themselves, so that a
// name derived from the input must not clash with them.

// listerMethods are those of a generated lister beside its indexes, and the field
// that they are in.
var listerMethods = map[string]bool{"List": true, "Get": true, "Namespace": true, "ByIndex": true, "Lister": true}

// clientNames are what emitted clients and fakes have of package gentype, or declare
// themselves, and use.
var clientNames = []string{"GetClient", "GetNamespace", "Fake", "Namespace", "Kind", "Resource"}

// usedPackages are those that the package of a typed client calls by their names, which its types
// must not have: the plural of Type is types.
var usedPackages = map[string]bool{
	"apply": true, "cache": true, "context": true, "fmt": true, "gentype": true, "http": true, "metav1": true, "redirect": true, "rest": true,
	"schema": true, "scheme": true, "time": true, "types": true, "watch": true,
}

// parameters are those of the function that makes a typed client.
var parameters = map[string]bool{"c": true, "namespace": true}

// factoryMethods are those of a generated factory beside its groups.
var factoryMethods = map[string]bool{"ForResource": true, "Retry": true, "Shutdown": true, "Start": true, "WaitForCacheSync": true}

// generatedMethods are those of generated clients of a version, and of listers, next to a method
// that is called by a plural.
var generatedMethods = map[string]bool{"ByIndex": true, "Get": true, "List": true, "Namespace": true, "RESTClient": true}
