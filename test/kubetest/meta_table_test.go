package kubetest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/test/faithful"
)

// metaPart is a part of the table.
type metaPart struct {
	name  string
	cases []*faithful.Case
}

func (p *metaPart) add(title string, steps ...*faithful.Step) {
	p.cases = append(p.cases, &faithful.Case{Title: title, Steps: steps})
}

// metaKind is a kind that the table has objects of. Its body has all fields that a kube-apiserver sets by default.
type metaKind struct {
	apiVersion, kind, collection, body string
	// empty returns an object of the Go type. It is nil if the kind has no protobuf.
	empty func() runtime.Object
}

const webSpec = `
  containers: [{name: web, image: "registry.example.com/web:1", imagePullPolicy: IfNotPresent, resources: {}, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]
  dnsPolicy: ClusterFirst
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
`

var metaKinds = []*metaKind{
	{"v1", "ConfigMap", "/api/v1/namespaces/NS/configmaps", "data: {a: b}\n", func() runtime.Object { return &corev1.ConfigMap{} }},
	{"apps/v1", "Deployment", "/apis/apps/v1/namespaces/NS/deployments", `spec:
  progressDeadlineSeconds: 600
  replicas: 1
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}}
    spec:` + strings.ReplaceAll(webSpec, "\n  ", "\n      "), func() runtime.Object { return &appsv1.Deployment{} }},
	{"example.com/v1", "Widget", "/apis/example.com/v1/namespaces/NS/widgets", "spec: {size: 1}\n", nil},
}

// podKind is deleted with a grace period.
var podKind = &metaKind{"v1", "Pod", "/api/v1/namespaces/NS/pods", "spec:" + webSpec + `  nodeName: node-1
  enableServiceLinks: true
  preemptionPolicy: PreemptLowerPriority
  priority: 0
  tolerations:
  - {effect: NoExecute, key: node.kubernetes.io/not-ready, operator: Exists, tolerationSeconds: 300}
  - {effect: NoExecute, key: node.kubernetes.io/unreachable, operator: Exists, tolerationSeconds: 300}
`, func() runtime.Object { return &corev1.Pod{} }}

// given returns the step that creates the object a, whose answer is 1.
func (k *metaKind) given(metadata string) []*faithful.Step {
	object := k.text("a", metadata)
	return []*faithful.Step{{Given: true, Method: "POST", Path: k.collection, Body: &object}}
}

func (k *metaKind) text(name, metadata string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s%s}\n%s", k.apiVersion, k.kind, name, metadata, k.body)
}

// look returns the step that shows what is left of a.
func (k *metaKind) look() *faithful.Step {
	return &faithful.Step{Method: "GET", Path: k.collection + "/a"}
}

// encodings are the media types of bodies.
var metaEncodings = []string{"application/json", "application/yaml", protobufType}

const protobufType = "application/vnd.kubernetes.protobuf"

// withBody gives a step a body, which is YAML, in an encoding. empty is the Go type of the body.
func withBody(step *faithful.Step, content, encoding string, empty func() runtime.Object) *faithful.Step {
	step.Body = &content
	step.Header = append(step.Header, "Content-Type: "+encoding)
	step.Encode = func(content string) (string, error) {
		switch encoding {
		case "application/yaml":
			return content, nil
		case protobufType:
			return encodeMessage(content, empty())
		}
		encoded, err := yaml.YAMLToJSON([]byte(content))
		return string(encoded), err
	}
	return step
}

// encodeMessage encodes YAML in protobuf, with the kind and the apiVersion that it has, which need not be those of its Go type.
func encodeMessage(content string, into runtime.Object) (string, error) {
	if err := yaml.Unmarshal([]byte(content), into); err != nil {
		return "", err
	}
	var envelope runtime.Unknown
	if err := yaml.Unmarshal([]byte(content), &envelope.TypeMeta); err != nil {
		return "", err
	}
	var err error
	if envelope.Raw, err = into.(interface{ Marshal() ([]byte, error) }).Marshal(); err != nil {
		return "", err
	}
	message, err := envelope.Marshal()
	return "k8s\x00" + string(message), err
}

func noOptions() runtime.Object  { return &metav1.DeleteOptions{} }
func noEviction() runtime.Object { return &policyv1.Eviction{} }
func noScale() runtime.Object    { return &autoscalingv1.Scale{} }

// deleteOptions are the options of deletions, without their kind.
var deleteOptions = []string{
	"", "dryRun: [All]", "dryRun: [Some]", "dryRun: [All, All]", "dryRun: []", "propagationPolicy: Orphan", "propagationPolicy: Foreground", "propagationPolicy: Background",
	"propagationPolicy: Other", "orphanDependents: true", "orphanDependents: false", "{orphanDependents: true, propagationPolicy: Foreground}",
	"preconditions: {uid: $uid1}", "preconditions: {uid: other}", `preconditions: {resourceVersion: "$rv1"}`, `preconditions: {resourceVersion: "1"}`,
	"preconditions: {}", `preconditions: {uid: "", resourceVersion: ""}`, "gracePeriodSeconds: 0", "gracePeriodSeconds: 5", "gracePeriodSeconds: -5",
	"{dryRun: [All], propagationPolicy: Foreground}", "{dryRun: [All], preconditions: {uid: other}}", "ignoreStoreReadErrorWithClusterBreakingPotential: true",
	"{ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: [All]}", "ignoreStoreReadErrorWithClusterBreakingPotential: false",
}

// deleteQueries are options in the query.
var deleteQueries = []string{
	"dryRun=All", "dryRun=Some", "dryRun=All&dryRun=All", "dryRun=", "propagationPolicy=Orphan", "propagationPolicy=Foreground", "propagationPolicy=Other",
	"orphanDependents=true", "orphanDependents=false", "orphanDependents=x", "gracePeriodSeconds=0", "gracePeriodSeconds=5", "gracePeriodSeconds=x",
	"preconditions.uid=other", "uid=other", "resourceVersion=1", "kind=Pod&apiVersion=v1", "unknown=x", "ignoreStoreReadErrorWithClusterBreakingPotential=true",
}

// named adds an apiVersion and a kind to options.
func named(options, apiVersion, kind string) string {
	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(options), &content); err != nil {
		panic(err) // a mistake in this file
	}
	if apiVersion != "" {
		content["apiVersion"] = apiVersion
	}
	if kind != "" {
		content["kind"] = kind
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// metaNames are the apiVersions and kinds of bodies with options for a kind; the first is what clients send.
func (k *metaKind) metaNames(kind string) [][2]string {
	return [][2]string{
		{k.apiVersion, kind}, {"meta.k8s.io/v1", kind}, {"v1", kind}, {"policy/v1", kind}, {"example.com/v1", kind}, {"example.com/v9", kind}, {"", ""}, {"", kind}, {k.apiVersion, ""},
		{"other.com/v1", kind}, {"a/b/c", kind}, {"__internal", kind}, {"meta.k8s.io/__internal", kind},
		{k.apiVersion, k.kind}, {"v1", "Pod"}, {"v1", "ListOptions"}, {"meta.k8s.io/v1", "GetOptions"}, {"v1", "Status"}, {"other.com/v1", "Other"}, {"", "Other"},
	}
}

func metaTable() []*metaPart {
	return []*metaPart{eachKind(), deletions(), deletionsByQuery(), deletionNames(), brokenBodies(), collections(), objectWrites(), objectNames(), patches(), reads(), forms(), watchForms(), errorForms(), subresourceBodies(), discovery()}
}

// eachKind deletes an object of each of many built-in kinds, with options in the group and version of the kind. Its answers are compared
// by their codes: accepted.go has the fields that only a kube-apiserver sets.
func eachKind() *metaPart {
	p := &metaPart{name: "kind"}
	text, err := os.ReadFile("testdata/kinds.yaml")
	if err != nil {
		panic(err)
	}
	cluster := []string{"Node", "PersistentVolume", "StorageClass", "PriorityClass", "ClusterRole", "ClusterRoleBinding", "FlowSchema", "PriorityLevelConfiguration", "ServiceCIDR", "IPAddress"}
	for object := range strings.SplitSeq(strings.ReplaceAll(string(text), "namespace: kinds", "namespace: NS"), "\n---\n") {
		var meta metav1.PartialObjectMetadata
		if err := yaml.Unmarshal([]byte(object), &meta); err != nil {
			panic(err)
		}
		resource, _ := apimeta.UnsafeGuessKindToResource(meta.GroupVersionKind())
		path := "/apis/" + meta.APIVersion
		if resource.Group == "" {
			path = "/api/v1"
		}
		if !slices.Contains(cluster, meta.Kind) {
			path += "/namespaces/NS"
		}
		path += "/" + resource.Resource
		steps := []*faithful.Step{{Given: true, Method: "POST", Path: path, Body: &object}}
		for _, encoding := range metaEncodings {
			for _, options := range []string{"dryRun: [All]", "preconditions: {uid: other}", "propagationPolicy: Other"} {
				request := &faithful.Step{Method: "DELETE", Path: path + "/" + meta.Name}
				steps = append(steps, withBody(request, named(options, meta.APIVersion, "DeleteOptions"), encoding, noOptions), &faithful.Step{Method: "GET", Path: path + "/" + meta.Name})
			}
		}
		last := withBody(&faithful.Step{Method: "DELETE", Path: path + "/" + meta.Name}, named("{propagationPolicy: Foreground, gracePeriodSeconds: 0}", meta.APIVersion, "DeleteOptions"), protobufType, noOptions)
		p.add(meta.APIVersion+" "+meta.Kind+" "+meta.Name, append(steps, last, &faithful.Step{Method: "GET", Path: path + "/" + meta.Name})...)
	}
	return p
}

func deletions() *metaPart {
	p := &metaPart{name: "delete"}
	for _, k := range append(slices.Clone(metaKinds), podKind) {
		for _, options := range deleteOptions {
			for _, encoding := range metaEncodings {
				for _, finalizers := range []string{"", ", finalizers: [example.com/wait]"} {
					request := &faithful.Step{Method: "DELETE", Path: k.collection + "/a"}
					withBody(request, named(options, k.apiVersion, "DeleteOptions"), encoding, noOptions)
					p.add(fmt.Sprintf("%s %s %s%s", k.kind, encoding, options, finalizers), append(k.given(finalizers), request, k.look())...)
				}
			}
		}
	}
	return p
}

func deletionsByQuery() *metaPart {
	p := &metaPart{name: "delete by query"}
	for _, k := range append(slices.Clone(metaKinds), podKind) {
		for _, query := range deleteQueries {
			p.add(k.kind+" "+query, append(k.given(""), &faithful.Step{Method: "DELETE", Path: k.collection + "/a?" + query}, k.look())...)
			for _, encoding := range metaEncodings { // a body wins
				request := &faithful.Step{Method: "DELETE", Path: k.collection + "/a?" + query}
				withBody(request, named("", k.apiVersion, "DeleteOptions"), encoding, noOptions)
				p.add(k.kind+" "+query+" with a body, "+encoding, append(k.given(""), request, k.look())...)
			}
		}
	}
	return p
}

func deletionNames() *metaPart {
	p := &metaPart{name: "names of options"}
	for _, k := range metaKinds {
		for _, name := range k.metaNames("DeleteOptions") {
			for _, encoding := range metaEncodings {
				for _, options := range []string{"", "dryRun: [All]"} {
					for _, path := range []string{k.collection + "/a", k.collection} {
						request := &faithful.Step{Method: "DELETE", Path: path}
						withBody(request, named(options, name[0], name[1]), encoding, noOptions)
						p.add(fmt.Sprintf("%s %s %q of %q %s at %s", k.kind, encoding, name[1], name[0], options, path), append(k.given(""), request, k.look())...)
					}
				}
			}
		}
	}
	return p
}

// brokenBodies are bodies that cannot be decoded.
func brokenBodies() *metaPart {
	p := &metaPart{name: "broken bodies"}
	bodies := map[string]string{
		"empty": "", "null": "null", "list": "[]", "text": `"x"`, "brace": "{", "spaces": "  ", "magic": "k8s\x00", "other magic": "k8s\x01\x0a\x00", "envelope of nothing": "k8s\x00\x0a\x00", "garbage": "k8s\x00\xff\xff\xff",
		"options that are cut off": "k8s\x00\x12\x05\x0a", "garbage for options": "k8s\x00\x12\x02\xff\xff", "wrong type": `{"gracePeriodSeconds":"x"}`, "wrong list": `{"dryRun":"All"}`, "unknown field": `{"unknown":1,"dryRun":["All"]}`,
		"field in the wrong case": `{"DryRun":["All"]}`, "field twice": `{"dryRun":["All"],"dryRun":[]}`, "two objects": "{} {}",
	}
	for _, k := range metaKinds {
		for _, title := range slices.Sorted(maps.Keys(bodies)) {
			encodings := metaEncodings
			if title == "empty" || title == "unknown field" { // the others are for what an encoding cannot decode
				encodings = append(slices.Clone(encodings), "", "text/plain", "application/json; charset=utf-8", "application/cbor", "application/merge-patch+json", "x")
			}
			for _, encoding := range encodings {
				for _, request := range []*faithful.Step{{Method: "DELETE", Path: k.collection + "/a"}, {Method: "DELETE", Path: k.collection}, {Method: "POST", Path: k.collection}, {Method: "PUT", Path: k.collection + "/a"}} {
					if request.Method[0] == 'P' && encoding == protobufType && k.empty == nil {
						continue // a kube-apiserver panics
					}
					content := bodies[title]
					request.Body = &content
					request.Header = []string{"Content-Type: " + encoding}
					p.add(fmt.Sprintf("%s %s %q %s %s", k.kind, title, encoding, request.Method, request.Path), append(k.given(""), request, k.look())...)
				}
			}
		}
	}
	return p
}

func collections() *metaPart {
	p := &metaPart{name: "delete collection"}
	for _, k := range append(slices.Clone(metaKinds), podKind) {
		for _, options := range deleteOptions {
			for _, encoding := range metaEncodings {
				request := &faithful.Step{Method: "DELETE", Path: k.collection}
				withBody(request, named(options, k.apiVersion, "DeleteOptions"), encoding, noOptions)
				p.add(fmt.Sprintf("%s %s %s", k.kind, encoding, options), append(k.given(""), request, k.look())...)
			}
		}
		for _, query := range slices.Concat(deleteQueries, []string{"limit=1", "limit=x", "fieldSelector=metadata.name%3Db", "labelSelector=x", "labelSelector=a%20b", "continue=x"}) {
			if query == "resourceVersion=1" {
				continue // the cache of a kube-apiserver may not have the object yet
			}
			p.add(k.kind+" "+query, append(k.given(""), &faithful.Step{Method: "DELETE", Path: k.collection + "?" + query}, k.look())...)
		}
	}
	return p
}

// writeQueries are options of create, update and patch.
var writeQueries = []string{
	"", "dryRun=All", "dryRun=Some", "dryRun=All&dryRun=All", "dryRun=", "fieldManager=me", "fieldManager=", "fieldManager=" + strings.Repeat("x", 128), "fieldManager=" + strings.Repeat("x", 129), "fieldManager=a%01",
	"fieldValidation=Strict", "fieldValidation=Warn", "fieldValidation=Ignore", "fieldValidation=Other", "fieldValidation=", "force=true", "force=x", "unknown=x", "pretty=true", "dryRun=All&fieldManager=me&fieldValidation=Strict",
	"kind=Pod&apiVersion=v1",
}

func objectWrites() *metaPart {
	p := &metaPart{name: "write"}
	for _, k := range metaKinds {
		for _, query := range writeQueries {
			for _, encoding := range metaEncodings {
				if encoding == protobufType && k.empty == nil {
					continue // a kube-apiserver panics
				}
				for _, unknown := range []string{"", "\nunknown: 1\n"} {
					if unknown != "" && (encoding == protobufType || !strings.Contains(query, "fieldValidation")) {
						continue
					}
					title := fmt.Sprintf("%s %s %s%s", k.kind, encoding, query, strings.TrimSpace(unknown))
					created := withBody(&faithful.Step{Method: "POST", Path: k.collection + "?" + query}, k.text("b", "")+unknown, encoding, k.empty)
					p.add("create "+title, append(k.given(""), created, &faithful.Step{Method: "GET", Path: k.collection + "/b"})...)
					updated := withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a?" + query}, k.text("a", ", labels: {l: m}")+unknown, encoding, k.empty)
					p.add("update "+title, append(k.given(""), updated, k.look())...)
				}
			}
		}
	}
	return p
}

// objectNames are apiVersions and kinds of bodies with objects.
func objectNames() *metaPart {
	p := &metaPart{name: "names of objects"}
	for _, k := range metaKinds {
		for _, name := range [][2]string{
			{"", ""}, {"", k.kind}, {k.apiVersion, ""}, {"v1", k.kind}, {"other.com/v1", k.kind}, {"meta.k8s.io/v1", k.kind}, {"apps/v1", k.kind}, {"a/b/c", k.kind}, {k.apiVersion, "Other"}, {"v1", "Pod"},
			{"v1", "Status"}, {k.apiVersion, "Status"}, {"v1", "List"}, {k.apiVersion, k.kind + "List"}, {"meta.k8s.io/v1", "PartialObjectMetadata"}, {"v1", "DeleteOptions"}, {"meta.k8s.io/v1", "CreateOptions"}, {"other.com/v1", "Other"},
		} {
			for _, encoding := range metaEncodings {
				if encoding == protobufType && k.empty == nil {
					continue // a kube-apiserver panics
				}
				title := fmt.Sprintf("%s %s %q of %q", k.kind, encoding, name[1], name[0])
				object := func(objectName string) string {
					var content map[string]any
					if err := yaml.Unmarshal([]byte(k.text(objectName, "")), &content); err != nil {
						panic(err)
					}
					delete(content, "apiVersion")
					delete(content, "kind")
					text, _ := json.Marshal(content)
					return named(string(text), name[0], name[1])
				}
				created := withBody(&faithful.Step{Method: "POST", Path: k.collection}, object("b"), encoding, k.empty)
				p.add("create "+title, append(k.given(""), created, &faithful.Step{Method: "GET", Path: k.collection + "/b"})...)
				updated := withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a"}, object("a"), encoding, k.empty)
				p.add("update "+title, append(k.given(""), updated, k.look())...)
			}
		}
	}
	return p
}

func patches() *metaPart {
	p := &metaPart{name: "patch"}
	for _, k := range metaKinds {
		for _, patch := range [][2]string{
			{"application/json-patch+json", `[{"op":"add","path":"/metadata/labels","value":{"l":"m"}}]`},
			{"application/merge-patch+json", `{"metadata":{"labels":{"l":"m"}}}`},
			{"application/strategic-merge-patch+json", `{"metadata":{"labels":{"l":"m"}}}`},
			{"application/apply-patch+yaml", fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"a","labels":{"l":"m"}}}`, k.apiVersion, k.kind)},
			{"application/apply-patch+cbor", "x"}, {"application/json", "{}"}, {protobufType, "k8s\x00"}, {"", "{}"},
		} {
			for _, query := range slices.Concat(writeQueries, []string{"fieldManager=me&force=true", "fieldManager=me&force=false", "fieldManager=me&dryRun=All"}) {
				for _, accept := range []string{"application/json", protobufType + ",application/json"} {
					if accept != "application/json" && query != "" && query != "dryRun=Some" && query != "fieldManager=me" {
						continue
					}
					body := patch[1]
					request := &faithful.Step{Method: "PATCH", Path: k.collection + "/a?" + query, Header: []string{"Content-Type: " + patch[0], "Accept: " + accept}, Body: &body}
					p.add(fmt.Sprintf("%s %s %s %s", k.kind, patch[0], query, accept), append(k.given(""), request, k.look())...)
				}
			}
		}
	}
	return p
}

// reads are the options of get, list and watch.
func reads() *metaPart {
	p := &metaPart{name: "read"}
	one := []string{"", "resourceVersion=$rv1", "resourceVersion=x", "resourceVersion=-1", "resourceVersionMatch=Exact", "unknown=x", "pretty=true", "watch=x", "kind=Pod&apiVersion=v1", "includeUninitialized=true", "export=true"}
	many := []string{
		"limit=0", "limit=1", "limit=-1", "limit=x", "continue=x", "timeoutSeconds=x", "timeoutSeconds=-1", "resourceVersion=$rv1&resourceVersionMatch=Exact", "resourceVersion=0&resourceVersionMatch=Exact", "resourceVersionMatch=Other&resourceVersion=1",
		"resourceVersion=$rv1&resourceVersionMatch=NotOlderThan", "labelSelector=x", "labelSelector=a%20b", "fieldSelector=metadata.name%3Da", "fieldSelector=x", "fieldSelector=spec.x%3Dy", "sendInitialEvents=true", "sendInitialEvents=x",
		"allowWatchBookmarks=true", "allowWatchBookmarks=x", "watch=0", "watch=true&timeoutSeconds=x", "watch=true&resourceVersion=x", "watch=true&limit=-1", "watch=true&sendInitialEvents=true", "watch=true&sendInitialEvents=true&resourceVersionMatch=Exact",
		"watch=true&resourceVersionMatch=NotOlderThan", "watch=true&labelSelector=a%20b", "watch=true&fieldSelector=x", "watch=true&continue=x", "shardSelector=x",
	}
	for _, k := range metaKinds {
		for _, accept := range metaEncodings {
			accept += ",application/json"
			for _, query := range slices.Concat(one, many) {
				p.add(fmt.Sprintf("list %s %s %s", k.kind, accept, query), append(k.given(""), &faithful.Step{Method: "GET", Path: k.collection + "?" + query, Header: []string{"Accept: " + accept}})...)
			}
			for _, query := range one {
				p.add(fmt.Sprintf("get %s %s %s", k.kind, accept, query), append(k.given(""), &faithful.Step{Method: "GET", Path: k.collection + "/a?" + query, Header: []string{"Accept: " + accept}})...)
			}
		}
	}
	return p
}

// metaAccepts are the forms of answers.
var metaAccepts = func() (all []string) {
	for _, mediaType := range []string{"application/json", "application/yaml", protobufType} {
		all = append(all, mediaType)
		for _, as := range []string{
			";as=Table;v=v1;g=meta.k8s.io", ";as=Table;v=v1beta1;g=meta.k8s.io", ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io", ";as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", ";as=PartialObjectMetadata;v=v2;g=meta.k8s.io", ";as=PartialObjectMetadata",
			";as=PartialObjectMetadata;v=v1;g=other.com", ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", ";as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io", ";as=Other;v=v1;g=meta.k8s.io", ";stream=watch",
		} {
			all = append(all, mediaType+as, mediaType+as+","+mediaType, mediaType+as+",application/json")
		}
	}
	return append(all, "", "*/*", "application/*", "text/plain", "text/plain,*/*;q=0.1", "application/cbor", "application/cbor,"+protobufType, protobufType+";q=0.5,application/json", "x",
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json")
}()

// forms are the forms of answers to each verb.
func forms() *metaPart {
	p := &metaPart{name: "form"}
	for _, k := range metaKinds {
		for _, accept := range metaAccepts {
			header := []string{"Accept: " + accept}
			add := func(verb string, finalizers string, request *faithful.Step) {
				request.Header = append(request.Header, header...)
				steps := append(k.given(finalizers), request)
				if request.Method != "GET" {
					steps = append(steps, k.look())
				}
				p.add(fmt.Sprintf("%s %s %s", verb, k.kind, accept), steps...)
			}
			add("get", "", k.look())
			add("list", "", &faithful.Step{Method: "GET", Path: k.collection})
			add("delete", "", &faithful.Step{Method: "DELETE", Path: k.collection + "/a"})
			if strings.Count(accept, "application/") > 1 { // a choice, which is that of get and list
				continue
			}
			add("create", "", withBody(&faithful.Step{Method: "POST", Path: k.collection}, k.text("b", ""), "application/json", nil))
			add("update", "", withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a"}, k.text("a", ", labels: {l: m}, resourceVersion: \"$rv1\""), "application/json", nil))
			add("patch", "", withBody(&faithful.Step{Method: "PATCH", Path: k.collection + "/a"}, "{metadata: {labels: {l: m}}}", "application/merge-patch+json", nil))
			add("delete with a finalizer", ", finalizers: [example.com/wait]", &faithful.Step{Method: "DELETE", Path: k.collection + "/a"})
			add("delete all", "", &faithful.Step{Method: "DELETE", Path: k.collection})
			add("missing", "", &faithful.Step{Method: "GET", Path: k.collection + "/none"})
			add("taken", "", withBody(&faithful.Step{Method: "POST", Path: k.collection}, k.text("a", ""), "application/json", nil))
		}
	}
	return p
}

// watchForms are the forms of events.
func watchForms() *metaPart {
	p := &metaPart{name: "watch"}
	for _, k := range metaKinds {
		for _, accept := range metaAccepts {
			if k.empty == nil && strings.HasPrefix(accept, protobufType) && !strings.Contains(accept, "as=") || !strings.HasPrefix(accept, "application/json") && !strings.HasPrefix(accept, protobufType) || strings.Contains(accept, "as=") && !strings.Contains(accept, "PartialObjectMetadata;v=v1;g=meta.k8s.io") {
				p.add(k.kind+" "+accept, append(k.given(""), &faithful.Step{Method: "GET", Path: k.collection + "?watch=true&resourceVersion=$rv1", Header: []string{"Accept: " + accept}})...)
				continue
			}
			body := "{metadata: {labels: {l: m}}}"
			change := withBody(&faithful.Step{Given: true, Method: "PATCH", Path: k.collection + "/a"}, body, "application/merge-patch+json", nil)
			end := k.text("end", "")
			p.add(k.kind+" events "+accept, append(k.given(""), &faithful.Step{Method: "GET", Path: k.collection + "?watch=true&resourceVersion=$rv1", Header: []string{"Accept: " + accept}}, change,
				&faithful.Step{Given: true, Method: "DELETE", Path: k.collection + "/a"}, &faithful.Step{Given: true, Method: "POST", Path: k.collection, Body: &end}, &faithful.Step{Method: "EVENTS", Path: "2"})...)
		}
	}
	return p
}

// errorForms are errors in the form that the client asks for.
func errorForms() *metaPart {
	p := &metaPart{name: "error"}
	for _, k := range metaKinds {
		for _, accept := range []string{"application/json", "application/yaml", protobufType, protobufType + ",application/json", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "", "*/*", "text/plain", protobufType + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"} {
			for title, request := range map[string]*faithful.Step{
				"an invalid object":   withBody(&faithful.Step{Method: "POST", Path: k.collection}, k.text("A_B", ""), "application/json", nil),
				"a conflict":          withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a"}, k.text("a", `, resourceVersion: "1"`), "application/json", nil),
				"another name":        withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a"}, k.text("b", ""), "application/json", nil),
				"a bad version":       {Method: "GET", Path: k.collection + "?resourceVersion=x"},
				"a bad watch":         {Method: "GET", Path: k.collection + "?watch=true&resourceVersion=x"},
				"an expired watch":    {Method: "GET", Path: k.collection + "?watch=true&labelSelector=a%20b"},
				"a method":            {Method: "PUT", Path: k.collection},
				"a subresource":       {Method: "GET", Path: k.collection + "/a/other"},
				"a resource":          {Method: "GET", Path: k.collection + "x"},
				"a version":           {Method: "GET", Path: strings.Replace(k.collection, "v1", "v9", 1)},
				"a group":             {Method: "GET", Path: "/apis/other.com/v1/namespaces/NS/others"},
				"a text as a body":    {Method: "POST", Path: k.collection, Header: []string{"Content-Type: text/plain"}, Body: new(string)},
				"options":             {Method: "DELETE", Path: k.collection + "/a?dryRun=Some"},
				"precondition":        withBody(&faithful.Step{Method: "DELETE", Path: k.collection + "/a"}, "preconditions: {uid: other}", "application/json", nil),
				"options of a create": withBody(&faithful.Step{Method: "POST", Path: k.collection + "?dryRun=Some"}, k.text("b", ""), "application/json", nil),
			} {
				request.Header = append(request.Header, "Accept: "+accept)
				p.add(fmt.Sprintf("%s %s %s", title, k.kind, accept), append(k.given(""), request)...)
			}
		}
	}
	return p
}

// subresourceBodies are bodies that have options in them, or are of another group than their resource.
func subresourceBodies() *metaPart {
	p := &metaPart{name: "subresource"}
	for _, encoding := range metaEncodings {
		evict := func(title, names, metadata, options, query string) {
			request := withBody(&faithful.Step{Method: "POST", Path: podKind.collection + "/a/eviction" + query}, "{"+names+metadata+"deleteOptions: "+options+"}", encoding, noEviction)
			p.add(fmt.Sprintf("eviction %s %s", encoding, title), append(podKind.given(""), request, podKind.look())...)
		}
		const names, metadata = "apiVersion: policy/v1, kind: Eviction, ", "metadata: {name: a}, "
		for _, options := range deleteOptions {
			evict(options, names, metadata, named(options, "", ""), "")
		}
		evict("options of policy/v1", names, metadata, named("dryRun: [All]", "policy/v1", "DeleteOptions"), "")
		evict("options of another kind", names, metadata, named("dryRun: [All]", "v1", "Pod"), "")
		evict("dry run in the query", names, metadata, "{}", "?dryRun=All")
		evict("dry run in the query and the body", names, metadata, "{dryRun: [All]}", "?dryRun=All")
		evict("no options", names, metadata, "null", "")
		evict("no name", names, "", "{}", "")
		evict("another name", names, "metadata: {name: b}, ", "{}", "")
		evict("no kind", "", metadata, "{}", "")
		empty := ""
		p.add("eviction without a body "+encoding, append(podKind.given(""), &faithful.Step{Method: "POST", Path: podKind.collection + "/a/eviction", Body: &empty, Header: []string{"Content-Type: " + encoding}}, podKind.look())...)
		evict("an old version", "apiVersion: policy/v1beta1, kind: Eviction, ", metadata, "{}", "")
		evict("another kind", "apiVersion: policy/v1, kind: Pod, ", metadata, "{}", "")
		evict("another group", "apiVersion: v1, kind: Eviction, ", metadata, "{}", "")
		for _, k := range metaKinds[1:] {
			for _, accept := range metaEncodings {
				for _, name := range []string{"scale", "status"} {
					p.add(fmt.Sprintf("%s of %s as %s", name, k.kind, accept), append(k.given(""), &faithful.Step{Method: "GET", Path: k.collection + "/a/" + name, Header: []string{"Accept: " + accept}})...)
				}
				if encoding == protobufType && k.empty == nil {
					continue
				}
				for _, body := range []string{
					"{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: a}, spec: {replicas: 2}}", "{metadata: {name: a}, spec: {replicas: 2}}", "{apiVersion: v1, kind: Scale, metadata: {name: a}, spec: {replicas: 2}}",
					"{apiVersion: autoscaling/v1, kind: Other, metadata: {name: a}, spec: {replicas: 2}}", "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: a}, Spec: {replicas: 2}}", "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: a}, spec: {Replicas: 2}}",
				} {
					request := withBody(&faithful.Step{Method: "PUT", Path: k.collection + "/a/scale", Header: []string{"Accept: " + accept}}, body, encoding, noScale)
					p.add(fmt.Sprintf("scale %s %s %s as %s", k.kind, body, encoding, accept), append(k.given(""), request, k.look())...)
				}
			}
		}
	}
	return p
}

// discovery are the documents.
func discovery() *metaPart {
	p := &metaPart{name: "discovery"}
	aggregated := ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, path := range []string{"/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/example.com", "/apis/example.com/v1", "/apis/example.com/v1beta1", "/apis/other.com", "/apis/other.com/v1", "/apis/apps/v9", "/apis/example.com/v9", "/api/v9", "/version", "/api/", "/apis/apps/"} {
		for _, accept := range slices.Concat(metaAccepts, []string{
			"application/json" + aggregated, protobufType + aggregated, "application/yaml" + aggregated, "application/json" + aggregated + ",application/json", protobufType + aggregated + "," + protobufType, strings.Replace("application/json"+aggregated, "v2", "v2beta1", 1),
			strings.Replace("application/json"+aggregated, "v2", "v2beta1", 1) + ",application/json", "application/json" + aggregated + ";profile=nopeer", "application/json" + aggregated + ";profile=nopeer,application/json" + aggregated + ",application/json",
		}) {
			p.add(path+" "+accept, &faithful.Step{Method: "GET", Path: path, Header: []string{"Accept: " + accept}})
		}
	}
	return p
}

// wholeTable reports whether all parts are played.
func wholeTable() bool { return !strings.Contains(flag.Lookup("test.run").Value.String(), "/") }
