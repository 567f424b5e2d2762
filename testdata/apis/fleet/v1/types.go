package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Type has the plural types, as a package that clients use is called, and methods
// that take and return types of another package.
//
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=ApplyScale,verb=apply,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
type Type struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// TypeList is a list of Type.
type TypeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Type `json:"items"`
}

// Interface would have its informer in interface.go.
//
// +genclient
type Interface struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// InterfaceList is a list of Interface.
type InterfaceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Interface `json:"items"`
}

// Test would have its fake in fake_test.go.
//
// +genclient
type Test struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// TestList is a list of Test.
type TestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Test `json:"items"`
}

// Windows would have its fake in fake_windows.go.
//
// +genclient
// +genclient:nonNamespaced
type Windows struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// WindowsList is a list of Windows.
type WindowsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Windows `json:"items"`
}

// Package is a keyword in lower case.
//
// +genclient
type Package struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// PackageList is a list of Package.
type PackageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Package `json:"items"`
}

// Context is a package in lower case, and has methods with awkward types.
//
// +genclient
// +genclient:method=Invoke,verb=create,subresource=types,input=Opts,result=Error
// +genclient:method=Result,verb=update,input=Type,result=Interface
// +genclient:method=Status,verb=get,subresource=status,result=k8s.io/apimachinery/pkg/apis/meta/v1.Status
type Context struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ContextList is a list of Context.
type ContextList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Context `json:"items"`
}

// Opts is a parameter of clients in lower case.
//
// +genclient
type Opts struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// OptsList is a list of Opts.
type OptsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Opts `json:"items"`
}

// Error is a predeclared type in lower case.
//
// +genclient
type Error struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ErrorList is a list of Error.
type ErrorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Error `json:"items"`
}
