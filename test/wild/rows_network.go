package main

// networkRows are networks, proxies, certificates and policies.
var networkRows = []Row{
	{
		Module: "istio.io/client-go", Version: "v1.31.1",
		Requires:  []string{"istio.io/api@v1.31.1"}, // it requires a version that is not published
		Packages:  []string{"pkg/apis/..."},
		Apply:     "istio.io/client-go/pkg/applyconfiguration",
		Clientset: "istio.io/client-go/pkg/clientset/versioned",
		Shape:     "lists of pointers; specs that are protocol buffer messages of another module",
	},
	{
		Module: "github.com/cilium/cilium", Version: "v1.17.0",
		Packages:  []string{"pkg/k8s/apis/cilium.io/..."},
		Clientset: "github.com/cilium/cilium/pkg/k8s/client/clientset/versioned",
	},
	{
		Name:   "cilium-slim",
		Module: "github.com/cilium/cilium", Version: "v1.17.0",
		// Apply configurations need the package of the metadata too.
		Packages:  []string{"pkg/k8s/slim/k8s/api/...", "pkg/k8s/slim/k8s/apis/meta/v1"},
		Clientset: "github.com/cilium/cilium/pkg/k8s/slim/k8s/client/clientset/versioned",
		Shape:     "slim copies of TypeMeta and ObjectMeta",
	},
	{
		Module: "github.com/projectcalico/api", Version: "v0.0.0-20240708202104-e3f70b269c2c",
		Packages:  []string{"pkg/apis/projectcalico/v3"},
		Clientset: "github.com/projectcalico/api/pkg/client/clientset_generated/clientset",
	},
	{
		Module: "github.com/k8snetworkplumbingwg/network-attachment-definition-client", Version: "v1.7.5",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "github.com/k8snetworkplumbingwg/network-attachment-definition-client/pkg/client/clientset/versioned",
	},
	{
		Module: "github.com/traefik/traefik/v3", Version: "v3.3.4",
		Packages:  []string{"pkg/provider/kubernetes/crd/traefikio/..."},
		Clientset: "github.com/traefik/traefik/v3/pkg/provider/kubernetes/crd/generated/clientset/versioned",
	},
	{
		Module: "github.com/projectcontour/contour", Version: "v1.33.8",
		Packages: []string{"apis/projectcontour/..."},
	},
	{
		Module: "github.com/envoyproxy/gateway", Version: "v1.9.1",
		Packages:  []string{"api/v1alpha1"},
		Clientset: "github.com/envoyproxy/gateway/pkg/client/clientset/versioned",
		Shape:     "version folders directly below api",
	},
	{
		Module: "github.com/emissary-ingress/emissary/v3", Version: "v3.9.1",
		Packages: []string{"pkg/api/getambassador.io/..."},
	},
	{
		Module: "github.com/cert-manager/cert-manager", Version: "v1.21.2",
		Packages:  []string{"pkg/apis/acme/v1", "pkg/apis/certmanager/v1"},
		Apply:     "github.com/cert-manager/cert-manager/pkg/client/applyconfigurations",
		Clientset: "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned",
		Shape:     "+kubebuilder:selectablefield",
	},
	{
		Module: "github.com/kyverno/kyverno", Version: "v1.19.1",
		Packages:  []string{"api/kyverno/v1", "api/kyverno/v2", "api/kyverno/v2alpha1", "api/kyverno/v2beta1", "api/policyreport/...", "api/reports/..."},
		Others:    []string{"github.com/kyverno/api/api/policies.kyverno.io/v1beta1"},
		Clientset: "github.com/kyverno/kyverno/pkg/client/clientset/versioned",
		Shape:     "+kubebuilder:selectablefield with a path into another package; kinds of two modules",
	},
	{
		Name:   "gatekeeper",
		Module: "github.com/open-policy-agent/gatekeeper/v3", Version: "v3.23.1",
		Packages: []string{"apis/config/...", "apis/mutations/v1", "apis/status/..."},
	},
	{
		Name:   "opa-frameworks",
		Module: "github.com/open-policy-agent/frameworks/constraint", Version: "v0.0.0-20260616163050-e1eaa1bf6d62",
		Packages: []string{"pkg/apis/..."},
		Flags:    []string{"--exclude=github.com/open-policy-agent/frameworks/constraint/pkg/apis/externaldata/unversioned"},
		Shape:    "the pattern matches an internal version with markers",
	},
}
