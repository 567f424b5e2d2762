package writes

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestWrites sends each write over JSON and protobuf, and checks what the informer is told.
func TestWrites(t *testing.T) {
	const webURL = "/api/v1/namespaces/a/configmaps/web"
	web := metav1.StatusDetails{Name: "web", Kind: "configmaps", UID: "uid-web"}
	for _, test := range []struct {
		name, method, path string
		resource           schema.GroupVersionResource
		code               int
		answer             marshaler
		want               string
	}{
		{"create", "POST", "/api/v1/namespaces/a/configmaps", configMaps, 201, object("ConfigMap", "web"), "ConfigMap a/web/ uid-web 7 body"},
		{"generateName", "POST", "/api/v1/namespaces/a/configmaps", configMaps, 201, object("ConfigMap", "web-x7"), "ConfigMap a/web-x7/ uid-web-x7 7 body"},
		{"update", "PUT", webURL, configMaps, 200, object("ConfigMap", "web"), "ConfigMap a/web/ uid-web 7 body"},
		{"patch", "PATCH", webURL, configMaps, 200, object("ConfigMap", "web"), "ConfigMap a/web/ uid-web 7 body"},
		{"apply", "PATCH", webURL + "?fieldManager=me&force=true", configMaps, 201, object("ConfigMap", "web"), "ConfigMap a/web/ uid-web 7 body"},
		{"status", "PUT", "/apis/apps/v1/namespaces/a/deployments/web/status", deployments, 200, object("Deployment", "web"), "Deployment a/web/status uid-web 7 body"},
		{"scale", "PUT", "/apis/apps/v1/namespaces/a/deployments/web/scale", deployments, 200, object("Scale", "web"), "Scale a/web/scale uid-web 7 body"},
		{"cluster-scoped", "PUT", "/api/v1/namespaces/web", namespaces, 200, object("Namespace", "web", inNamespace("")), "Namespace /web/ uid-web 7 body"},
		{"finalize", "PUT", "/api/v1/namespaces/web/finalize", namespaces, 200, object("Namespace", "web", inNamespace("")), "Namespace /web/finalize uid-web 7 body"},

		{"delete", "DELETE", webURL, configMaps, 200, deletedStatus(web), "a/web/ uid-web gone"},
		{"delete answered by the object", "DELETE", webURL, configMaps, 200, object("ConfigMap", "web"), "ConfigMap a/web/ uid-web 7 gone body"},
		{"delete with a finalizer", "DELETE", webURL, configMaps, 200, object("ConfigMap", "web", deleting(0, "x")), "ConfigMap a/web/ uid-web 7 body"},
		{"delete that leaves a finalizer", "DELETE", webURL, configMaps, 200, object("ConfigMap", "web", func(meta *metav1.ObjectMeta) { meta.Finalizers = []string{"x"} }), ""},
		{"delete with a grace period", "DELETE", "/api/v1/namespaces/a/pods/web", pods, 200, object("Pod", "web", deleting(30)), "Pod a/web/ uid-web 7 body"},
		{"delete without a grace period", "DELETE", "/api/v1/namespaces/a/pods/web", pods, 200, object("Pod", "web", deleting(0)), "Pod a/web/ uid-web 7 gone body"},
		{"accepted", "DELETE", webURL, configMaps, 202, object("ConfigMap", "web", deleting(0, "x")), "ConfigMap a/web/ uid-web 7 body"},
		{"accepted with a grace period", "DELETE", webURL, configMaps, 202, object("ConfigMap", "web", deleting(1)), "ConfigMap a/web/ uid-web 7 body"},
		{"accepted without finalizers", "DELETE", webURL, configMaps, 202, object("ConfigMap", "web", deleting(0)), ""},
		{"accepted without a timestamp", "DELETE", webURL, configMaps, 202, object("ConfigMap", "web"), ""},
		{"update without a grace period", "PUT", webURL, configMaps, 200, object("ConfigMap", "web", deleting(-1)), ""},
		{"delete with a finalizer, without a grace period", "DELETE", webURL, configMaps, 200, object("ConfigMap", "web", deleting(-1, "x")), "ConfigMap a/web/ uid-web 7 body"},
		{"last finalizer", "PUT", webURL, configMaps, 200, object("ConfigMap", "web", deleting(0)), "ConfigMap a/web/ uid-web gone body"},
		{"last finalizer by a patch of a subresource", "PATCH", webURL + "/status", configMaps, 200, object("ConfigMap", "web", deleting(0)), "ConfigMap a/web/status uid-web gone body"},
		{"a finalizer", "PATCH", webURL, configMaps, 200, object("ConfigMap", "web", deleting(0, "x")), "ConfigMap a/web/ uid-web 7 body"},
		{"last finalizer of a pod with a grace period", "PATCH", "/api/v1/namespaces/a/pods/web", pods, 200, object("Pod", "web", deleting(30)), "Pod a/web/ uid-web 7 body"},
		{"namespace", "DELETE", "/api/v1/namespaces/web", namespaces, 200, object("Namespace", "web", inNamespace(""), deleting(-1)), ""},
		{"last finalizer of a namespace", "PUT", "/api/v1/namespaces/web", namespaces, 200, object("Namespace", "web", inNamespace(""), deleting(0)), ""},
		{"kind of another group that is named namespaces", "PUT", "/apis/example.com/v1/namespaces/web", schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "namespaces"}, 200, object("Namespace", "web", inNamespace(""), deleting(0)), "Namespace /web/ uid-web gone body"},
		{"namespace with a finalizer", "DELETE", "/api/v1/namespaces/web", namespaces, 200, object("Namespace", "web", inNamespace(""), deleting(-1, "x")), "Namespace /web/ uid-web 7 body"},
		{"delete of a subresource", "DELETE", webURL + "/status", configMaps, 200, object("ConfigMap", "web"), "ConfigMap a/web/status uid-web 7 body"},

		{"status of a deleted subresource", "DELETE", webURL + "/status", configMaps, 200, deletedStatus(web), ""},
		{"accepted deletion", "DELETE", webURL, configMaps, 202, deletedStatus(web), ""},
		{"status of an eviction", "POST", "/api/v1/namespaces/a/pods/web/eviction", pods, 201, deletedStatus(metav1.StatusDetails{Name: "web", Kind: "pods", UID: "uid-web"}), ""},
		{"failure", "DELETE", webURL, configMaps, 200, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Details: &web}, ""},
		{"no details", "DELETE", webURL, configMaps, 200, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Success"}, ""},
		{"no UID", "DELETE", webURL, configMaps, 200, deletedStatus(metav1.StatusDetails{Name: "web", Kind: "configmaps"}), ""},
		{"only a name and a UID", "DELETE", webURL, configMaps, 200, deletedStatus(metav1.StatusDetails{Name: "web", UID: "uid-web"}), "a/web/ uid-web gone"},
		{"another name", "DELETE", webURL, configMaps, 200, deletedStatus(metav1.StatusDetails{Name: "w", UID: "uid-web"}), ""},
		{"another resource", "DELETE", webURL, configMaps, 200, deletedStatus(metav1.StatusDetails{Name: "web", Kind: "pods", UID: "uid-web"}), ""},
		{"another group", "DELETE", webURL, configMaps, 200, deletedStatus(metav1.StatusDetails{Name: "web", Kind: "configmaps", Group: "x", UID: "uid-web"}), ""},
		{"collection", "DELETE", "/api/v1/namespaces/a/configmaps", configMaps, 200, object("ConfigMap", "web"), ""},
		{"collection answered by a Status", "DELETE", "/api/v1/namespaces/a/configmaps", configMaps, 200, deletedStatus(metav1.StatusDetails{UID: "uid-web"}), ""},
		{"object of another name", "PUT", webURL, configMaps, 200, object("ConfigMap", "w"), ""},
		{"object of another namespace", "PUT", webURL, configMaps, 200, object("ConfigMap", "web", inNamespace("b")), ""},
		{"object without a namespace", "PUT", webURL, configMaps, 200, object("ConfigMap", "web", inNamespace("")), ""},
		{"created in another namespace", "POST", "/api/v1/namespaces/a/configmaps", configMaps, 201, object("ConfigMap", "web", inNamespace("b")), ""},
		{"object without a name", "POST", "/api/v1/namespaces/a/configmaps", configMaps, 201, object("ConfigMap", ""), ""},
		{"object without a UID", "PUT", webURL, configMaps, 200, object("ConfigMap", "web", func(meta *metav1.ObjectMeta) { meta.UID = "" }), ""},
		{"object without a kind", "PUT", webURL, configMaps, 200, object("", "web"), ""},
		{"other code", "PUT", webURL, configMaps, 203, object("ConfigMap", "web"), ""},
		{"conflict", "PUT", webURL, configMaps, 409, object("ConfigMap", "web"), ""},
		{"dry run", "PUT", webURL + "?dryRun=All", configMaps, 200, object("ConfigMap", "web"), ""},
		{"other resource", "PUT", "/api/v1/namespaces/a/secrets/web", configMaps, 200, object("Secret", "web"), ""},
		{"other version", "PUT", "/api/v2/namespaces/a/configmaps/web", configMaps, 200, object("ConfigMap", "web"), ""},
		{"read", "GET", webURL, configMaps, 200, object("ConfigMap", "web"), ""},
		{"other method", "put", webURL, configMaps, 200, object("ConfigMap", "web"), ""},
	} {
		for contentType, sent := range map[string][]byte{
			"application/json":                            inJSON(t, test.answer),
			"application/json;as=x;g=meta.k8s.io;v=v1":    append(inJSON(t, test.answer), '\n'),
			"application/vnd.kubernetes.protobuf":         inProtobuf(t, test.answer),
			"Application/Vnd.Kubernetes.Protobuf; as=any": inProtobuf(t, test.answer),
		} {
			t.Run(test.name+" "+contentType, func(t *testing.T) {
				var own Observer
				told := &recorder{}
				own.Subscribe(host, test.resource, told)
				client := own.Transport(answering(func(*http.Request) (*http.Response, error) { return respond(test.code, contentType, sent), nil }))
				request, err := http.NewRequest(test.method, host+test.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				for _, write := range told.writes {
					if write.Body != nil && !bytes.Equal(write.Body, sent) {
						t.Errorf("told of the body %q, want %q", write.Body, sent)
					}
				}
				if got := told.heard(); got != test.want {
					t.Errorf("told of %q, want %q", got, test.want)
				}
				if got := bodyOf(response); got != outcomeOf(sent) {
					t.Errorf("the caller reads %v, want %v", got, outcomeOf(sent))
				}
			})
		}
	}
}

// TestUnreadableAnswers sends bodies that are not understood, and expects that nothing is told.
func TestUnreadableAnswers(t *testing.T) {
	whole, message := inJSON(t, object("ConfigMap", "web")), inProtobuf(t, object("ConfigMap", "web"))
	for name, sent := range map[string]struct{ contentType, encoding, body string }{
		"no type":              {"", "", string(whole)},
		"a type that is wrong": {"application/json; =", "", string(whole)},
		"text":                 {"text/plain", "", string(whole)},
		"YAML":                 {"application/yaml", "", "kind: ConfigMap"},
		"CBOR":                 {"application/cbor", "", string(whole)},
		"stream":               {"application/json;stream=watch", "", string(whole)},
		"compressed":           {"application/json", "gzip", string(whole)},
		"empty":                {"application/json", "", ""},
		"null":                 {"application/json", "", "null"},
		"array":                {"application/json", "", "[]"},
		"table":                {"application/json", "", `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}`},
		"cut JSON":             {"application/json", "", string(whole[:len(whole)-1])},
		"two objects":          {"application/json", "", string(whole) + string(whole)},
		"no metadata":          {"application/json", "", strings.Replace(string(whole), `"metadata"`, `"Metadata"`, 1)},
		"a time that is wrong": {"application/json", "", strings.Replace(string(whole), `"resourceVersion"`, `"creationTimestamp":"today","resourceVersion"`, 1)},
		"prefix only":          {"application/vnd.kubernetes.protobuf", "", "k8s\x00"},
		"cut protobuf":         {"application/vnd.kubernetes.protobuf", "", string(message[:len(message)-1])},
		"wrong protobuf":       {"application/vnd.kubernetes.protobuf", "", "k8s\x00\x12\x03\x0a\x7f1"},
		"wrong envelope":       {"application/vnd.kubernetes.protobuf", "", "k8s\x00\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			var own Observer
			told := &recorder{}
			own.Subscribe(host, configMaps, told)
			response := respond(200, sent.contentType, []byte(sent.body))
			if sent.encoding != "" {
				response.Header.Set("Content-Encoding", sent.encoding)
			}
			request, err := http.NewRequest("PUT", host+"/api/v1/namespaces/a/configmaps/web", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := own.Transport(answering(func(*http.Request) (*http.Response, error) { return response, nil })).RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			if heard := told.heard(); heard != "" {
				t.Errorf("told of %q", heard)
			}
			if read := bodyOf(got); read != outcomeOf([]byte(sent.body)) {
				t.Errorf("the caller reads %v", read)
			}
		})
	}
}
