package apitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestAccept asks for media types as module test compares them with a kube-apiserver.
func TestAccept(t *testing.T) {
	t.Parallel()
	const (
		json, yaml, protobuf = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
		configMaps           = "/api/v1/namespaces/a/configmaps"
	)
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, 201)
	for _, test := range []struct {
		path, accept string
		code         int
		mediaType    string
	}{
		// The best media type decides, even if a watch cannot have it.
		{widgets + "?watch=true&timeoutSeconds=1", yaml + "," + json, 406, yaml},
		{widgets + "?watch=true&labelSelector=a%20b", yaml, 400, yaml},
		{widgets, yaml + ";stream=watch", 406, json},
		{widgets, json + ";stream=watch", 200, json},
		{widgets, json + ";v=v1", 406, json},
		{widgets, json + ";v=v1," + yaml, 200, yaml},
		// The router of built-in groups knows no patterns but the one for all.
		{configMaps, "application/*", 406, json},
		{configMaps, "*/*", 200, json},
		{widgets, "application/*", 200, json},
		{"/api/v1", "application/*", 406, json},
		{"/apis/apps", "application/*", 200, json},
		{"/apis/example.com/v1", "application/*", 200, json},
		{"/version", yaml, 406, yaml},
		{"/version", json, 200, json},
		// Errors of discovery have the media type of the client.
		{"/api/v9", yaml, 404, yaml},
		{"/api/v1/others", protobuf, 404, protobuf},
		{"/api/v1", yaml + ";as=Table;v=v1;g=meta.k8s.io", 406, json},
		{"/api/v1", yaml + ";stream=watch", 406, json},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url()+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", test.accept)
		response, err := c.server.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Get("Content-Type"); response.StatusCode != test.code || got != test.mediaType {
			t.Errorf("%s as %s: %d %s, want %d %s", test.path, test.accept, response.StatusCode, got, test.code, test.mediaType)
		}
	}
}

func (client) url() string { return "http://server" }

// TestMetadataOfAListInV1Beta1 decodes a list whose fields have other numbers in v1beta1 than in v1.
func TestMetadataOfAListInV1Beta1(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, 201)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url()+widgets, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io")
	response, err := c.server.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal([]byte(strings.TrimPrefix(string(body), "k8s\x00"))); err != nil {
		t.Fatal(err)
	}
	var list metav1beta1.PartialObjectMetadataList
	if err := list.Unmarshal(envelope.Raw); err != nil || envelope.APIVersion != "meta.k8s.io/v1beta1" || len(list.Items) != 1 || list.Items[0].Name != "x" {
		t.Errorf("%s %+v, %v", envelope.APIVersion, list, err)
	}
}
