package apitest_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest"
)

// newDatabase is an object as a YAML file has it.
func newDatabase(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "data.example.com/v1", "kind": "Database",
		"metadata": map[string]any{"namespace": "team-a", "name": name},
		"spec":     map[string]any{"storageGi": int64(10)},
	}}
}

var database = apitest.Kind{
	GroupVersionKind: schema.GroupVersionKind{Group: "data.example.com", Version: "v1", Kind: "Database"},
	Resource:         "databases",
	Namespaced:       true,
	Status:           true,
}

// A server has the kinds of Kubernetes and yours. In a test, Start closes it, and fails the test if a fault met no
// request. Clients of all sorts take it as their transport.
func ExampleNew() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	// config := &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
	client := &http.Client{Transport: server}

	create := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}`
	for range 2 {
		response, err := client.Post(server.URL()+"/api/v1/namespaces/team-a/configmaps", "application/json", strings.NewReader(create))
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Println(response.Status)
	}
	// Output:
	// 201 Created
	// 409 Conflict
}

// Objects that are there before the test. Unlike those of a client, they may have a status.
func ExampleServer_Add() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Add(newDatabase("orders")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(get(server, "orders"))
	// Output:
	// 200 OK
}

// Faults answer requests that match. Each lasts until it is used up or removed.
func ExampleServer_On() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Add(newDatabase("orders"), newDatabase("users")); err != nil {
		log.Fatal(err)
	}
	forbidden := server.On("get", "databases").Named("orders").Forbidden()
	server.On("get", "databases").Once().Disconnect()

	fmt.Println(get(server, "orders"))
	fmt.Println(get(server, "users"))
	fmt.Println(get(server, "users"))
	forbidden.Remove()
	fmt.Println(get(server, "orders"))
	// Output:
	// 403 Forbidden
	// no response
	// 200 OK
	// 200 OK
}

// A reactor answers calls in place of the server, or changes what the server receives.
func ExampleServer_Transport() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Add(newDatabase("orders")); err != nil {
		log.Fatal(err)
	}
	transport := server.Transport(apitest.Reactors{React: func(call *apitest.Call) (handled bool, obj runtime.Object, err error) {
		fmt.Println(call.Verb, call.Resource.Resource, call.Name)
		if call.Name == "users" {
			return true, newDatabase("users"), nil
		}
		return false, nil, nil // the server answers
	}})
	fmt.Println(get(transport, "orders"))
	fmt.Println(get(transport, "users"))
	// Output:
	// get databases orders
	// 200 OK
	// get databases users
	// 200 OK
}

// A Tracker reads and writes objects past the reactors and faults, for what a test prepares and checks.
func ExampleServer_Tracker() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	server.On("*", "databases").Unavailable(0)
	tracker := server.Tracker(nil)
	if err := tracker.Add(newDatabase("orders")); err != nil {
		log.Fatal(err)
	}
	obj, err := tracker.Get(database.GroupVersion().WithResource("databases"), "team-a", "orders")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(obj.(metav1.Object).GetName())
	// Output:
	// orders
}

// RestoreTo returns to an earlier state, as a restore of etcd from a backup does. Restart and Compact are milder faults.
func ExampleServer_RestoreTo() {
	server, err := apitest.New(apitest.WithKinds(database))
	if err != nil {
		log.Fatal(err)
	}
	orders := newDatabase("orders")
	if err := server.Add(orders); err != nil {
		log.Fatal(err)
	}
	before, err := server.Tracker(nil).Get(database.GroupVersion().WithResource("databases"), "team-a", "orders")
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Add(newDatabase("users")); err != nil {
		log.Fatal(err)
	}

	if err := server.RestoreTo(before.(metav1.Object).GetResourceVersion()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(get(server, "orders"))
	fmt.Println(get(server, "users"))
	// Output:
	// 200 OK
	// 404 Not Found
}

// get returns the status of a response.
func get(transport http.RoundTripper, name string) string {
	client := &http.Client{Transport: transport}
	response, err := client.Get("http://server/apis/data.example.com/v1/namespaces/team-a/databases/" + name)
	if err != nil {
		return "no response"
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err.Error()
	}
	return response.Status
}
