package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// connection is what both sides make informers of, as users of client-go do.
type connection struct {
	clientset *kubernetes.Clientset
	// databases has the API version of custom resources.
	databases *rest.RESTClient
	// control is not measured. It has a connection of its own.
	control *http.Client
}

// databaseScheme is like that of a generated clientset.
var databaseScheme = newDatabaseScheme()

func newDatabaseScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(podserver.DatabaseVersion, &podserver.Database{}, &podserver.DatabaseList{})
	metav1.AddToGroupVersion(s, podserver.DatabaseVersion)
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return s
}

// connect does what clientsets do by default, unless the setting asks for JSON.
func (c *client) connect() (*connection, error) {
	config := &rest.Config{
		Host:            c.server,
		QPS:             -1, // no limit
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.certificate},
	}
	if c.JSON {
		config.ContentType = runtime.ContentTypeJSON
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ofDatabases := rest.CopyConfig(config)
	ofDatabases.GroupVersion, ofDatabases.APIPath = &podserver.DatabaseVersion, "/apis"
	ofDatabases.NegotiatedSerializer = serializer.NewCodecFactory(databaseScheme).WithoutConversion()
	databases, err := rest.RESTClientFor(ofDatabases)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if c.certificate != "" {
		text, err := os.ReadFile(c.certificate)
		if err != nil {
			return nil, err
		}
		if !roots.AppendCertsFromPEM(text) {
			return nil, errors.New(c.certificate + " has no certificate")
		}
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &connection{clientset, databases, &http.Client{Transport: transport}}, nil
}

// encrypted reports whether the server speaks TLS, and so HTTP/2.
func (c *client) encrypted() bool { return strings.HasPrefix(c.server, "https:") }

// protobuf reports whether both sides ask for protobuf.
func (c *client) protobuf() bool { return c.Kind == report.Pods && !c.JSON }
