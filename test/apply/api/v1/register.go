package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the group and version of the kinds of this package.
var SchemeGroupVersion = schema.GroupVersion{Group: "edge.example.com", Version: "v1"}

var schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

// AddToScheme adds the kinds of this package to a scheme.
var AddToScheme = schemeBuilder.AddToScheme

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Proxy{}, &ProxyList{}, &ProxyClass{}, &ProxyClassList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
