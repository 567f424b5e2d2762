package faithful

import (
	"fmt"
	"strconv"
	"strings"
)

// acceptance is a difference between the real server and apitest that is wanted, or not worth
// the code that would remove it.
type acceptance struct {
	// where is SCRIPT/TITLE, with * for any text.
	where string
	// paths are the fields that differ, separated by spaces, with * for any text. After = is what
	// apitest has there.
	paths string
	// reason is a sentence.
	reason string
}

// Servers are the ways to set up apitest.
type Servers string

const (
	// WithoutSchema is apitest with kinds that have neither schemas nor Go types.
	WithoutSchema Servers = "without schema"
	// WithTypes is apitest with kinds that have Go types and no schemas.
	WithTypes Servers = "with types"
	// WithSchema is apitest with the CustomResourceDefinitions of the real server.
	WithSchema Servers = "with schema"
	// KubeAPIServer is apitest as WithSchema, but the real server is a whole kube-apiserver.
	KubeAPIServer Servers = "kube-apiserver"
)

// always has the differences with and without schemas.
var always = []acceptance{
	// testserver is not a whole kube-apiserver. Here apitest has what that has.
	{"builtin/*Event*", "body*.managedFields[0]",
		"testserver has no schema that says that the involvedObject of an Event is atomic."},
	{"builtin/names that are not those of a domain", "body* code",
		"testserver accepts names of built-in kinds that a kube-apiserver refuses."},
	{"builtin/Events by a field that is not selectable", "body.Failure.message",
		"testserver has other words."},
	{"builtin/a Lease is not created by an update with a UID", "body.Failure.message",
		"testserver keeps built-in kinds at another place in etcd."},
	{"discovery/a version of a built-in group", "body.resources[0].storageVersionHash",
		"testserver does not know the hashes of built-in kinds."},
	{"discovery/a version in protobuf", "body.resources[0].storageVersionHash",
		"testserver does not know the hashes of built-in kinds."},
	{"discovery/the versions of a built-in group", "body.versions[*]",
		"testserver serves one version of each built-in kind."},
	{"discovery/all groups", "body.apiVersion body.groups[0]",
		"testserver lists the groups of custom resources only in aggregated discovery. In a cluster the aggregator lists all."},
	{"builtin/names that are not those of a domain", "body* code",
		"testserver accepts a name that can be in a URL. A kube-apiserver wants that of a DNS subdomain for most built-in kinds."},
	{"namespace/*", "body*.deletionGracePeriodSeconds",
		"A kube-apiserver does not set it in a Namespace."},
	{"namespace/a namespace with labels, a status and finalizers", "body.spec.finalizers[*]",
		"A kube-apiserver adds its finalizer to those of the body."},
	{"namespace/a namespace whose contents have finalizers is deleted", "body.Failure.message",
		"testserver has other words."},
	{"namespace/a namespace cannot be deleted with others", "body.Failure.message body.Failure.details.kind",
		"A kube-apiserver has no such route."},
	{"expired/a continue token", "body.metadata.continue",
		"testserver has no watch cache for this script. With one, the key in a token begins with a slash, as in apitest."},
	{"expired/a watch*", "body[0].ERROR.message",
		"testserver has no watch cache for this script. With one, the message is that of apitest."},
	{"builtin/names that are not those of a domain", "body* code=422",
		"A kube-apiserver refuses these names. testserver does not validate built-in kinds."},

	// These differ from a kube-apiserver too.
	{"builtin/an Event in the other group", "body* code=404",
		"apitest keeps the Events of the two groups apart."},
	{"builtin/the status of a Deployment, by PUT", "body.metadata.labels.l body.metadata.managedFields[*]",
		"Which metadata a write of the status changes is decided by each built-in kind; in apitest it changes none, as for custom resources."},
}

// noSchema is the reason for the rows of nulls.
const noSchema = "Only a schema tells that a field cannot be null. The real server drops such a null, or refuses it in an apply."

// nulls has the further differences of kinds without a schema.
var nulls = []acceptance{
	{"create/null in the metadata and the spec", "body.spec body.metadata.managedFields", noSchema},
	{"create/null fields of the spec", "body.spec.color body.metadata.managedFields[0]", noSchema},
	{"update/an owner and a null spec", "body.spec body.metadata.managedFields[0]", noSchema},
	{"patch/a JSON patch with a null value", "body.spec.size body.metadata.managedFields[0]", noSchema},
	{"apply/null values", "body* code=201", noSchema},
	{"sequence/odd values survive", "body.metadata.managedFields[*]",
		"Only a schema tells that the spec is not a struct, so that an apply owns it too."},
}

// untyped has the further differences of kinds with neither a schema nor a Go type.
var untyped = []acceptance{
	{"create/a field in the wrong case, Strict", "body* code=201", "Only a schema or a Go type tells which fields there are."},
	{"apply/a map is merged by key", "body.metadata.managedFields[*]",
		"Only a schema or a Go type tells that the map is a field of a struct, which is there without being applied."},
}

// kube has the differences from a whole kube-apiserver in the table of package kubetest.
var kube = []acceptance{
	{"kind/*", "body.spec* body.status* body.ports* body.reclaimPolicy body.volumeBindingMode body.preemptionPolicy body.metadata.managedFields* body.metadata.labels body.metadata.annotations",
		"apitest has no defaults of built-in kinds."},
	{"kind/v1 PersistentVolume*", "body.metadata.finalizers* body.metadata.deletionGracePeriodSeconds body.metadata.deletionTimestamp", "A kube-apiserver adds a finalizer."},
	{"kind/autoscaling/v2 *", "body.metadata.generation", "apitest has the kinds of Kubernetes 1.37."},
	{"kind/events.k8s.io/v1 Event *", "body.Failure.message body.Failure.details.group", "A kube-apiserver keeps the Events of the two groups as those of the core group."},
	{"*/Pod*", "body*.status.phase body*.status.qosClass", "A kube-apiserver sets the status of a new Pod."},
	{"subresource/eviction*", "body.status.phase body.status.qosClass body.status.conditions body.metadata.resourceVersion",
		"A kube-apiserver sets the status of a new Pod, and a condition before it evicts one."},
	{"delete*/*Potential*true*", "code=409", "Kubernetes 1.36 answers 422. Since 1.37 the code is that of apitest."},
	{"delete collection/*Potential: true, dryRun*", "body.Failure.message body.Failure.details.causes[0].message",
		"Kubernetes 1.36 refuses the two together. Since 1.37 the error is that of apitest."},
	{"names of options/*", "body.Failure.message", wording},
	{"names of objects/*", "body.Failure.message", wording},
	{"broken bodies/*", "body.Failure.message", wording},
	{"broken bodies/*field twice*", "header.Warning", "apitest warns of an unknown field that is there twice, and has other words for YAML."},
	{"broken bodies/Deployment*", "body.Failure.details.causes[*]", "apitest does not validate built-in kinds."},
	{"patch/*", "body.Failure.details body.Failure.message", "The router of built-in groups answers, and names no media type. apitest does, because it is of more use."},
	{"read/get *export=true", "code=200", "Kubernetes 1.18 has removed the option. apitest ignores it like any unknown one."},
	{"form/*as=Table*", "code body* header.Content-Type", "apitest has no Tables."},
	{"watch/*as=Table*", "code body*", "apitest has no Tables."},
	{"form/*as=PartialObjectMetadata*", "body.Failure.message", "A kube-apiserver names the package of its internal Go type."},
	{"discovery//api* application/*;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList*", "code=406 body* header.*",
		"apitest has aggregated discovery in JSON, which is all that clients ask for."},
	{"discovery//version*", "body.*", "apitest has a version of its own."},
	{"discovery//api/v1*", "body.resources[*", "A kube-apiserver has resources that apitest has not, such as nodes/proxy."},
}

// wording is the reason for messages that differ with the same code and reason.
const wording = "A kube-apiserver finds another fault of the same body first, or has other words for it."

// Accepted has the accepted differences of a way to set up apitest.
type Accepted struct {
	rows []acceptance
	used map[string]bool // rows and their patterns of paths
}

// NewAccepted returns the accepted differences, none of which has occurred.
func NewAccepted(servers Servers) *Accepted {
	a := &Accepted{used: map[string]bool{}}
	if servers == KubeAPIServer {
		a.rows = kube
		return a
	}
	a.rows = append(a.rows, always...)
	if servers != WithSchema {
		a.rows = append(a.rows, nulls...)
	}
	if servers == WithoutSchema {
		a.rows = append(a.rows, untyped...)
	}
	return a
}

// Accepts reports whether a difference is accepted.
func (a *Accepted) Accepts(script, title string, difference Difference) bool {
	accepted := false
	for _, row := range a.rows {
		if !matches(row.where, script+"/"+title) {
			continue
		}
		for pattern := range strings.FieldsSeq(row.paths) {
			path, got, fixed := strings.Cut(pattern, "=")
			if matches(path, difference.Path) && (!fixed || difference.Got == strconv.Quote(got)) {
				a.used[row.where+" "+pattern] = true
				accepted = true
			}
		}
	}
	return accepted
}

// Unused returns a line for each accepted difference that has not occurred.
func (a *Accepted) Unused() []string {
	var unused []string
	for _, row := range a.rows {
		for pattern := range strings.FieldsSeq(row.paths) {
			if !a.used[row.where+" "+pattern] {
				unused = append(unused, fmt.Sprintf("accepted.go: the difference %q of %q no longer occurs; remove it", pattern, row.where))
			}
		}
	}
	return unused
}

// matches reports whether a text is that of a pattern, in which * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
