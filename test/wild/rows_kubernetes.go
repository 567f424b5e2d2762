package main

// kubernetesRows are modules of the Kubernetes project and its special interest groups.
var kubernetesRows = []Row{
	{
		Module: "k8s.io/sample-apiserver", Version: "v0.37.2",
		Packages:  []string{"pkg/apis/wardle/v1alpha1", "pkg/apis/wardle/v1beta1"},
		Apply:     "k8s.io/sample-apiserver/pkg/generated/applyconfiguration",
		Clientset: "k8s.io/sample-apiserver/pkg/generated/clientset/versioned",
		Shape:     "options of +genclient on list types",
	},
	{
		Module: "k8s.io/sample-controller", Version: "v0.34.1",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "k8s.io/sample-controller/pkg/generated/clientset/versioned",
	},
	{
		Module: "k8s.io/metrics", Version: "v0.37.2",
		Packages:  []string{"pkg/apis/metrics/v1", "pkg/apis/metrics/v1alpha1", "pkg/apis/metrics/v1beta1"},
		Clientset: "k8s.io/metrics/pkg/client/clientset/versioned",
	},
	{
		Module: "k8s.io/kube-aggregator", Version: "v0.37.2",
		Packages:  []string{"pkg/apis/apiregistration/v1", "pkg/apis/apiregistration/v1beta1"},
		Apply:     "k8s.io/kube-aggregator/pkg/client/applyconfiguration",
		Clientset: "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset",
	},
	{
		Module: "k8s.io/apiextensions-apiserver", Version: "v0.37.2",
		Packages:  []string{"pkg/apis/apiextensions/v1", "pkg/apis/apiextensions/v1beta1"},
		Apply:     "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration",
		Clientset: "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset",
	},
	{
		Module: "k8s.io/autoscaler/vertical-pod-autoscaler", Version: "v1.8.1",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned",
		Shape:     "group folders with dots",
	},
	{
		Module: "sigs.k8s.io/gateway-api", Version: "v1.4.0",
		Packages:  []string{"apis/...", "apisx/..."},
		Apply:     "sigs.k8s.io/gateway-api/applyconfiguration",
		Clientset: "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned",
		Shape:     "kinds that are defined types over kinds of another version; version folders directly below apis",
	},
	{
		Module: "sigs.k8s.io/gateway-api-inference-extension", Version: "v1.0.0",
		Packages:  []string{"api/v1", "apix/v1alpha2"},
		Apply:     "sigs.k8s.io/gateway-api-inference-extension/client-go/applyconfiguration",
		Clientset: "sigs.k8s.io/gateway-api-inference-extension/client-go/clientset/versioned",
		Shape:     "version folders directly below api and apix",
	},
	{
		Module: "sigs.k8s.io/jobset", Version: "v0.8.0",
		Packages:  []string{"api/jobset/..."},
		Apply:     "sigs.k8s.io/jobset/client-go/applyconfiguration",
		Clientset: "sigs.k8s.io/jobset/client-go/clientset/versioned",
	},
	{
		Module: "sigs.k8s.io/lws", Version: "v0.6.0",
		Packages:  []string{"api/leaderworkerset/..."},
		Apply:     "sigs.k8s.io/lws/client-go/applyconfiguration",
		Clientset: "sigs.k8s.io/lws/client-go/clientset/versioned",
	},
	{
		Module: "sigs.k8s.io/kueue", Version: "v0.10.0",
		Packages: []string{"apis/kueue/...", "apis/visibility/..."},
		Failing: map[string]string{
			"VisibilityV1beta1().ClusterQueues: create": "the package registers only its other types, so clients send the type without its kind",
			"VisibilityV1beta1().LocalQueues: create":   "the package registers only its other types, so clients send the type without its kind",
		},
		Apply:     "sigs.k8s.io/kueue/client-go/applyconfiguration",
		Clientset: "sigs.k8s.io/kueue/client-go/clientset/versioned",
	},
	{
		Module: "sigs.k8s.io/mcs-api", Version: "v0.5.2",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "sigs.k8s.io/mcs-api/pkg/client/clientset/versioned",
		Shape:     "version folders directly below apis",
	},
	{
		Module: "sigs.k8s.io/network-policy-api", Version: "v0.1.1",
		Packages:  []string{"apis/v1alpha1"},
		Clientset: "sigs.k8s.io/network-policy-api/pkg/client/clientset/versioned",
		Shape:     "version folders directly below apis",
	},
	{
		Module: "sigs.k8s.io/scheduler-plugins", Version: "v0.30.6",
		Packages:  []string{"apis/scheduling/v1alpha1"},
		Apply:     "sigs.k8s.io/scheduler-plugins/pkg/generated/applyconfiguration",
		Clientset: "sigs.k8s.io/scheduler-plugins/pkg/generated/clientset/versioned",
	},
	{
		Module: "sigs.k8s.io/secrets-store-csi-driver", Version: "v1.4.7",
		Packages:  []string{"apis/..."},
		Flags:     []string{"--group-go-names=secrets-store.csi.x-k8s.io:Secretsstore"},
		Clientset: "sigs.k8s.io/secrets-store-csi-driver/pkg/client/clientset/versioned",
		Shape:     "version folders directly below apis",
	},
	{
		Module: "sigs.k8s.io/node-feature-discovery/api/nfd", Version: "v0.17.0",
		Packages: []string{"v1alpha1"},
	},
	{
		Module: "sigs.k8s.io/karpenter", Version: "v1.8.0",
		Packages: []string{"pkg/apis/..."},
		Shape:    "types that init registers, without SchemeGroupVersion",
	},
	{
		Module: "sigs.k8s.io/cluster-api", Version: "v1.11.0",
		Packages: []string{"api/..."},
		Flags:    []string{"--group-dirs=controlplane.cluster.x-k8s.io:controlplane"},
		Shape:    "two groups with the same folder name",
	},
	{
		Name:   "cluster-api-exp",
		Module: "sigs.k8s.io/cluster-api", Version: "v1.10.4",
		Packages: []string{"api/v1beta1", "exp/api/v1beta1"},
		Shape:    "two packages with the same group and version",
	},
	{
		Module: "sigs.k8s.io/cluster-api-provider-aws/v2", Version: "v2.13.0",
		Packages: []string{"api/v1beta2", "exp/api/v1beta2"},
		Shape:    "two packages with the same group and version",
	},
	{
		Module: "sigs.k8s.io/external-dns", Version: "v0.18.0",
		Packages: []string{"apis/..."},
	},
}
