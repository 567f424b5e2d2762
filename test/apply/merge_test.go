package apply

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	apiv1 "github.com/typedinformers/informer-gen/test/apply/generated/applyconfiguration/api/v1"
)

// fragment is a part of a spec.
type fragment = func(*apiv1.ProxySpecApplyConfiguration)

// merges has, for each kind of field, what two managers apply.
var merges = []struct {
	name          string
	first, second fragment
	// want is the spec with both. If it is empty, the second manager has a conflict with
	// the first one over the field conflict.
	want, conflict string
	// undefaulted is the spec with both on a server that knows no defaults.
	undefaulted string
	// left is the spec after the first manager has applied a spec without the field.
	left string
}{
	{
		name:   "fields of an embedded struct",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithRegion("north") },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithZones(apiv1.Zones().WithPreferred("a")) },
		want:   `{"region": "north", "zones": {"preferred": "a"}}`,
		left:   `{"zones": {"preferred": "a"}}`,
	},
	{
		name:   "fields of a struct in an embedded struct",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithZones(apiv1.Zones().WithSpread(0)) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithZones(apiv1.Zones().WithPreferred("a")) },
		want:   `{"zones": {"spread": 0, "preferred": "a"}}`,
		left:   `{"zones": {"preferred": "a"}}`,
	},
	{
		name:     "scalar",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithClassName("small") },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithClassName("large") },
		conflict: ".spec.className",
	},
	{
		name:   "the same value",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithClassName("small").WithReplicas(0) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithClassName("small").WithReplicas(0) },
		want:   `{"className": "small", "replicas": 0}`,
		left:   `{"className": "small", "replicas": 0}`,
	},
	{
		name:   "a value that is false",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithPaused(false) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithReplicas(2) },
		want:   `{"paused": false, "replicas": 2}`,
		left:   `{"replicas": 2}`,
	},
	{
		name:     "list without a marker",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithArgs("-a") },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithArgs("-b") },
		conflict: ".spec.args",
	},
	{
		name:   "set",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithDomains("a.example.com", "c.example.com") },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithDomains("b.example.com", "c.example.com") },
		want:   `{"domains": ["a.example.com", "b.example.com", "c.example.com"]}`,
		left:   `{"domains": ["b.example.com", "c.example.com"]}`,
	},
	{
		name:   "set of numbers",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithCodes(301) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithCodes(302) },
		want:   `{"codes": [301, 302]}`,
		left:   `{"codes": [302]}`,
	},
	{
		name:   "list with a key",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithListeners(apiv1.Listener().WithName("http")) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithListeners(apiv1.Listener().WithName("https")) },
		want:   `{"listeners": [{"name": "http"}, {"name": "https"}]}`,
		left:   `{"listeners": [{"name": "https"}]}`,
	},
	{
		name:  "fields of one element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithListeners(apiv1.Listener().WithName("http")) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithHostname("a.example.com"))
		},
		want: `{"listeners": [{"name": "http", "hostname": "a.example.com"}]}`,
		left: `{"listeners": [{"name": "http", "hostname": "a.example.com"}]}`,
	},
	{
		name: "field of one element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithHostname("a.example.com"))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithHostname("b.example.com"))
		},
		conflict: `.spec.listeners[name="http"].hostname`,
	},
	{
		name: "map in an element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithLabels(map[string]string{"a": "1"}))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithLabels(map[string]string{"b": "2"}))
		},
		want: `{"listeners": [{"name": "http", "labels": {"a": "1", "b": "2"}}]}`,
		left: `{"listeners": [{"name": "http", "labels": {"b": "2"}}]}`,
	},
	{
		name: "list with a key in an element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithRoutes(apiv1.Route().WithPath("/a").WithMethods("GET")))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithRoutes(
				apiv1.Route().WithPath("/a").WithMethods("PUT"), apiv1.Route().WithPath("/b").WithPool("main")))
		},
		want: `{"listeners": [{"name": "http", "routes": [{"path": "/a", "methods": ["GET", "PUT"]}, {"path": "/b", "pool": "main"}]}]}`,
		left: `{"listeners": [{"name": "http", "routes": [{"path": "/a", "methods": ["PUT"]}, {"path": "/b", "pool": "main"}]}]}`,
	},
	{
		name: "atomic list in an element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithFilters(apiv1.Filter().WithType("a")))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithListeners(apiv1.Listener().WithName("http").WithFilters(apiv1.Filter().WithType("b")))
		},
		conflict: `.spec.listeners[name="http"].filters`,
	},
	{
		name: "list with two keys",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithPorts(apiv1.Port().WithPort(53).WithProtocol(corev1.ProtocolTCP).WithName("tcp"))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithPorts(apiv1.Port().WithPort(53).WithProtocol(corev1.ProtocolUDP).WithName("udp"))
		},
		want: `{"ports": [{"port": 53, "protocol": "TCP", "name": "tcp"}, {"port": 53, "protocol": "UDP", "name": "udp"}]}`,
		left: `{"ports": [{"port": 53, "protocol": "UDP", "name": "udp"}]}`,
	},
	{
		name:  "list with two keys, both of one element",
		first: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithPorts(apiv1.Port().WithPort(80).WithProtocol("TCP")) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithPorts(apiv1.Port().WithPort(80).WithProtocol("TCP").WithTargetPort(intstr.FromString("http")))
		},
		want: `{"ports": [{"port": 80, "protocol": "TCP", "targetPort": "http"}]}`,
		left: `{"ports": [{"port": 80, "protocol": "TCP", "targetPort": "http"}]}`,
	},
	{
		name:        "list with two keys, without the one that has a default",
		first:       func(s *apiv1.ProxySpecApplyConfiguration) { s.WithPorts(apiv1.Port().WithPort(80)) },
		second:      func(s *apiv1.ProxySpecApplyConfiguration) { s.WithPorts(apiv1.Port().WithPort(80).WithName("http")) },
		want:        `{"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}`,
		undefaulted: `{"ports": [{"port": 80, "name": "http"}]}`,
		left:        `{"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}`,
	},
	{
		name:     "list of lists",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMatrix([]int32{1}, []int32{2, 3}) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMatrix([]int32{1}, []int32{2, 4}) },
		conflict: ".spec.matrix",
	},
	{
		name:   "map",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithWeights(map[string]int32{"a": 1}) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithWeights(map[string]int32{"b": 2}) },
		want:   `{"weights": {"a": 1, "b": 2}}`,
		left:   `{"weights": {"b": 2}}`,
	},
	{
		name:     "key of a map",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithWeights(map[string]int32{"a": 1}) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithWeights(map[string]int32{"a": 2}) },
		conflict: ".spec.weights.a",
	},
	{
		name:     "atomic map",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithSelector(map[string]string{"a": "1"}) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithSelector(map[string]string{"b": "2"}) },
		conflict: ".spec.selector",
	},
	{
		name: "map of structs",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithPools(map[string]apiv1.PoolApplyConfiguration{"main": *apiv1.Pool().WithServers("a")})
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithPools(map[string]apiv1.PoolApplyConfiguration{"main": *apiv1.Pool().WithServers("b").WithSize(2)})
		},
		want: `{"pools": {"main": {"servers": ["a", "b"], "size": 2}}}`,
		left: `{"pools": {"main": {"servers": ["b"], "size": 2}}}`,
	},
	{
		name:     "atomic struct",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTLS(apiv1.TLS().WithCertificate("cert")) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTLS(apiv1.TLS().WithKey("key")) },
		conflict: ".spec.tls",
	},
	{
		name:  "struct that its field makes atomic",
		first: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithRetry(apiv1.Backoff().WithAttempts(3)) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithRetry(apiv1.Backoff().WithInitial(metav1.Duration{Duration: time.Second}))
		},
		conflict: ".spec.retry",
	},
	{
		name:  "the same struct, granular",
		first: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithReconnect(apiv1.Backoff().WithAttempts(3)) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithReconnect(apiv1.Backoff().WithInitial(metav1.Duration{Duration: time.Second}))
		},
		want: `{"reconnect": {"attempts": 3, "initial": "1s"}}`,
		left: `{"reconnect": {"initial": "1s"}}`,
	},
	{
		name:     "number or string",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMaxUnavailable(intstr.FromInt32(1)) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMaxUnavailable(intstr.FromString("10%")) },
		conflict: ".spec.maxUnavailable",
	},
	{
		name:     "quantity",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMemory(resource.MustParse("1Gi")) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithMemory(resource.MustParse("2Gi")) },
		conflict: ".spec.memory",
	},
	{
		name:     "duration",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTimeout(metav1.Duration{Duration: time.Second}) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTimeout(metav1.Duration{Duration: time.Minute}) },
		conflict: ".spec.timeout",
	},
	{
		name:   "embedded object",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTemplate(configMap(`"a": "1"`)) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTemplate(configMap(`"b": "2"`)) },
		want:   `{"template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1", "b": "2"}}}`,
		left:   `{"template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"b": "2"}}}`,
	},
	{
		name:     "member of an embedded object",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTemplate(configMap(`"a": "1"`)) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithTemplate(configMap(`"a": "2"`)) },
		conflict: ".spec.template.data.a",
	},
	{
		name:   "members of any JSON",
		first:  func(s *apiv1.ProxySpecApplyConfiguration) { s.WithParameters(anyJSON(`{"a": {"x": 1}}`)) },
		second: func(s *apiv1.ProxySpecApplyConfiguration) { s.WithParameters(anyJSON(`{"a": {"y": [1, 2]}}`)) },
		want:   `{"parameters": {"a": {"x": 1, "y": [1, 2]}}}`,
		left:   `{"parameters": {"a": {"y": [1, 2]}}}`,
	},
	{
		name:     "list in any JSON",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithParameters(anyJSON(`{"a": [1]}`)) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithParameters(anyJSON(`{"a": [2]}`)) },
		conflict: ".spec.parameters.a",
	},
	{
		name: "containers",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithSidecars(applycorev1.Container().WithName("log").WithImage("log:1").
				WithPorts(applycorev1.ContainerPort().WithContainerPort(53).WithProtocol("UDP")).
				WithEnv(applycorev1.EnvVar().WithName("A").WithValue("1")))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithSidecars(applycorev1.Container().WithName("log").
				WithPorts(applycorev1.ContainerPort().WithContainerPort(53).WithProtocol("TCP")).
				WithEnv(applycorev1.EnvVar().WithName("B").WithValue("2")).
				WithResources(limits()))
		},
		want: `{"sidecars": [{"name": "log", "image": "log:1",
			"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
			"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}],
			"resources": {"limits": {"cpu": "1"}}}]}`,
		left: `{"sidecars": [{"name": "log",
			"env": [{"name": "B", "value": "2"}],
			"ports": [{"containerPort": 53, "protocol": "TCP"}],
			"resources": {"limits": {"cpu": "1"}}}]}`,
	},
	{
		name: "list of a container without keys",
		first: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithSidecars(applycorev1.Container().WithName("log").WithCommand("a").WithResources(limits()))
		},
		second: func(s *apiv1.ProxySpecApplyConfiguration) {
			s.WithSidecars(applycorev1.Container().WithName("log").WithCommand("b").WithResources(limits()))
		},
		conflict: `.spec.sidecars[name="log"].command`,
	},
	{
		name:     "atomic struct of Kubernetes",
		first:    func(s *apiv1.ProxySpecApplyConfiguration) { s.WithConfigRef(corev1.LocalObjectReference{Name: "a"}) },
		second:   func(s *apiv1.ProxySpecApplyConfiguration) { s.WithConfigRef(corev1.LocalObjectReference{Name: "b"}) },
		conflict: ".spec.configRef",
	},
}

func configMap(data string) runtime.RawExtension {
	return runtime.RawExtension{Raw: []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {` + data + `}}`)}
}

func limits() *applycorev1.ResourceRequirementsApplyConfiguration {
	return applycorev1.ResourceRequirements().WithLimits(corev1.ResourceList{"cpu": resource.MustParse("1")})
}

func anyJSON(text string) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: []byte(text)} }

// TestMerge lets two managers apply one field. The server merges what they apply or reports the
// conflict. Extract then returns to each manager what it has applied, so that applying it again
// changes nothing. A manager that leaves out the field takes nothing from the other one.
func TestMerge(t *testing.T) {
	for _, test := range merges {
		t.Run(test.name, func(t *testing.T) {
			onEachServer(t, func(w *world) {
				first, second := w.proxy(specOf(test.first)), w.proxy(specOf(test.second))
				w.apply("first", first)
				w.wants("the extract of the only manager", w.extract("first"), first)
				if test.want == "" {
					w.refuses(first, second, test.conflict)
					return
				}
				want, left := test.want, test.left
				if test.undefaulted != "" && w.isUndefaulted() {
					want, left = test.undefaulted, test.undefaulted
				}
				w.wants("the spec of both", w.apply("second", second).Spec, want)
				w.wants("the extract of the first manager", w.extract("first"), first)
				w.wants("the extract of the second manager", w.extract("second"), second)
				before := w.get()
				for _, manager := range []string{"first", "second"} {
					if after := w.apply(manager, w.extract(manager)); after.ResourceVersion != before.ResourceVersion {
						w.Errorf("what %s has extracted changes the object to\n%s", manager, text(w, after))
					}
				}
				w.wants("what the first manager leaves", w.apply("first", w.proxy(apiv1.ProxySpec())).Spec, left)
				w.wants("the second manager's", w.extract("second"), second)
			})
		})
	}
}

func specOf(change fragment) *apiv1.ProxySpecApplyConfiguration {
	spec := apiv1.ProxySpec()
	change(spec)
	return spec
}

// refuses applies second, which has a conflict over field and changes nothing. Then it forces
// the conflict: the field is no longer that of the first manager, which can apply what is left.
func (w *world) refuses(first, second *apiv1.ProxyApplyConfiguration, field string) {
	w.Helper()
	before := w.get()
	_, err := w.proxies.Apply(w.Context(), second, metav1.ApplyOptions{FieldManager: "second"})
	if fields := conflicts(err); !apierrors.IsConflict(err) || !slices.Equal(fields, []string{field}) {
		w.Fatalf("the second manager gets %v, with conflicts over %q; want one over %s", err, fields, field)
	}
	if !strings.Contains(err.Error(), `conflict with "first"`) {
		w.Errorf("%v does not name the first manager", err)
	}
	w.wants("the object after a conflict", w.get(), before)

	forced, err := w.proxies.Apply(w.Context(), second, metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil {
		w.Fatal(err)
	}
	w.wants("the spec after a forced conflict", forced.Spec, second.Spec)
	w.wants("the extract of the second manager", w.extract("second"), second)
	rest := w.extract("first")
	if text(w, rest) == text(w, first) {
		w.Errorf("the first manager still has %s", text(w, rest))
	}
	w.wants("the spec after the first manager has applied the rest", w.apply("first", rest).Spec, forced.Spec)
}

// conflicts returns the fields of a conflict.
func conflicts(err error) (fields []string) {
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		return nil
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			fields = append(fields, cause.Field)
		}
	}
	return fields
}
