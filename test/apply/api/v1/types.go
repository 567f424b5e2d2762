package v1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Proxy requests a reverse proxy.
//
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=ApplyScale,verb=apply,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
type Proxy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec ProxySpec `json:"spec"`
	// +optional
	Status ProxyStatus `json:"status,omitempty"`
}

// ProxySpec describes the requested proxy.
type ProxySpec struct {
	// Placement is granular: each field has its own owners, and so has the struct in it.
	Placement `json:",inline"`

	// replicas is what the subresource scale writes.
	//
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// className is the name of a ProxyClass.
	//
	// +optional
	ClassName string `json:"className,omitempty"`
	// paused has a meaning when it is false, too.
	//
	// +optional
	Paused *bool `json:"paused,omitempty"`

	// args has no marker, so it is atomic.
	//
	// +optional
	Args []string `json:"args,omitempty"`
	// domains is a set.
	//
	// +optional
	// +listType=set
	Domains []string `json:"domains,omitempty"`
	// codes is a set of numbers.
	//
	// +optional
	// +listType=set
	Codes []int32 `json:"codes,omitempty"`
	// listeners is a map with one key, which has lists of its own.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	Listeners []Listener `json:"listeners,omitempty"`
	// ports is a map with two keys. One of them has a default.
	//
	// +optional
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []Port `json:"ports,omitempty"`
	// matrix is an atomic list of atomic lists.
	//
	// +optional
	// +listType=atomic
	Matrix [][]int32 `json:"matrix,omitempty"`

	// weights has no marker, so it is granular.
	//
	// +optional
	Weights map[string]int32 `json:"weights,omitempty"`
	// selector is an atomic map.
	//
	// +optional
	// +mapType=atomic
	Selector map[string]string `json:"selector,omitempty"`
	// pools has structs as values, each of them granular.
	//
	// +optional
	// +mapType=granular
	Pools map[string]Pool `json:"pools,omitempty"`
	// tls is an atomic struct.
	//
	// +optional
	TLS *TLS `json:"tls,omitempty"`
	// retry is a granular struct that this field makes atomic.
	//
	// +optional
	// +structType=atomic
	Retry *Backoff `json:"retry,omitempty"`
	// reconnect is the same struct, and granular.
	//
	// +optional
	Reconnect *Backoff `json:"reconnect,omitempty"`

	// maxUnavailable is a number or a percentage.
	//
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// memory is a scalar that encodes itself.
	//
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// timeout is another one.
	//
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// template is a whole object of any kind.
	//
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Template *runtime.RawExtension `json:"template,omitempty"`
	// parameters is any JSON value.
	//
	// +optional
	Parameters *apiextensionsv1.JSON `json:"parameters,omitempty"`

	// sidecars are of a type of Kubernetes, whose lists and maps have markers of their own.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	Sidecars []corev1.Container `json:"sidecars,omitempty"`
	// configRef is a struct that Kubernetes has made atomic.
	//
	// +optional
	ConfigRef *corev1.LocalObjectReference `json:"configRef,omitempty"`
}

// Placement is where a proxy runs.
type Placement struct {
	// +optional
	Region string `json:"region,omitempty"`
	// +optional
	Zones *Zones `json:"zones,omitempty"`
}

// Zones are the zones of a region.
type Zones struct {
	// +optional
	Preferred string `json:"preferred,omitempty"`
	// +optional
	Spread *int32 `json:"spread,omitempty"`
}

// Listener accepts connections.
type Listener struct {
	// +required
	Name string `json:"name"`
	// +optional
	Hostname string `json:"hostname,omitempty"`
	// labels is a granular map in an element of a list.
	//
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// routes is a list with a key in an element of a list with a key.
	//
	// +optional
	// +listType=map
	// +listMapKey=path
	Routes []Route `json:"routes,omitempty"`
	// filters is atomic.
	//
	// +optional
	// +listType=atomic
	Filters []Filter `json:"filters,omitempty"`
}

// Route sends requests to a pool.
type Route struct {
	// +required
	Path string `json:"path"`
	// +optional
	Pool string `json:"pool,omitempty"`
	// +optional
	// +listType=set
	Methods []string `json:"methods,omitempty"`
}

// Filter changes requests.
type Filter struct {
	// +optional
	Type string `json:"type,omitempty"`
	// +optional
	Value string `json:"value,omitempty"`
}

// Port is a port of a proxy.
type Port struct {
	// +required
	Port int32 `json:"port"`
	// +optional
	// +kubebuilder:default=TCP
	Protocol corev1.Protocol `json:"protocol,omitempty"`
	// +optional
	TargetPort *intstr.IntOrString `json:"targetPort,omitempty"`
	// +optional
	Name string `json:"name,omitempty"`
}

// Pool has the servers behind a proxy.
type Pool struct {
	// +optional
	// +listType=set
	Servers []string `json:"servers,omitempty"`
	// +optional
	Size *int32 `json:"size,omitempty"`
}

// TLS is a certificate with its key. Two managers must not mix theirs.
//
// +structType=atomic
type TLS struct {
	// +optional
	Certificate string `json:"certificate,omitempty"`
	// +optional
	Key string `json:"key,omitempty"`
}

// Backoff is the time between attempts.
type Backoff struct {
	// +optional
	Attempts *int32 `json:"attempts,omitempty"`
	// +optional
	Initial *metav1.Duration `json:"initial,omitempty"`
}

// ProxyStatus is the state of a proxy.
type ProxyStatus struct {
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// +optional
	Selector string `json:"selector,omitempty"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	// +listType=set
	Addresses []string `json:"addresses,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ProxyClass is a kind of proxy that the cluster offers.
//
// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
type ProxyClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec ProxyClassSpec `json:"spec,omitempty"`
}

// ProxyClassSpec has what all proxies of a class share.
type ProxyClassSpec struct {
	// +optional
	Image string `json:"image,omitempty"`
	// +optional
	// +listType=set
	Features []string `json:"features,omitempty"`
}
