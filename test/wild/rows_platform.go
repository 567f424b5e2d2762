package main

import "github.com/typedinformers/informer-gen/test/compare"

// platformRows are distributions, clouds, and clusters of clusters.
var platformRows = []Row{
	{
		Module: "github.com/dapr/dapr", Version: "v1.16.0",
		Packages: []string{"pkg/apis/components/v1alpha1", "pkg/apis/configuration/v1alpha1", "pkg/apis/httpEndpoint/v1alpha1", "pkg/apis/resiliency/v1alpha1", "pkg/apis/subscriptions/..."},
		Shape:    "five packages with the same group and version",
	},
	{
		// The published clientset has a client for each package.
		Module: "github.com/kubeflow/katib", Version: "v0.19.0",
		Packages: []string{"pkg/apis/controller/experiments/v1beta1", "pkg/apis/controller/suggestions/v1beta1", "pkg/apis/controller/trials/v1beta1"},
		Shape:    "three packages with the same group and version, and several +groupName in each",
	},
	{
		Name:   "openshift-apps",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"apps/v1"},
		Apply:        "github.com/openshift/client-go/apps/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/apps/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
		Shape:        "methods of +genclient with a kind of k8s.io/api as their input",
	},
	{
		Name:   "openshift-config",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"config/..."},
		Flags:        []string{"--plural-exceptions=DNS:DNSes"},
		Shape:        "+kubebuilder:resource that contradicts +genclient; the published client was generated with the same flag",
		Apply:        "github.com/openshift/client-go/config/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/config/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
	},
	{
		Name:   "openshift-operator",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"operator/..."},
		Flags:        []string{"--plural-exceptions=DNS:DNSes"},
		Shape:        "+kubebuilder:resource that contradicts +genclient; the published client was generated with the same flag",
		Failing:      map[string]string{"OperatorV1().Configs: create": "the package does not register the type Config, so clients send it without its kind"},
		Apply:        "github.com/openshift/client-go/operator/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/operator/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
	},
	{
		Name:   "openshift-network",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"network/..."},
		Apply:        "github.com/openshift/client-go/network/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/network/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
	},
	{
		Name:   "openshift-image",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"image/v1"},
		Apply:        "github.com/openshift/client-go/image/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/image/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
	},
	{
		Name:   "openshift-user",
		Module: "github.com/openshift/api", Version: "v0.0.0-20251015095338-264e80a2b6e7",
		Packages:     []string{"user/v1"},
		Apply:        "github.com/openshift/client-go/user/applyconfigurations",
		Clientset:    "github.com/openshift/client-go/user/clientset/versioned",
		ClientModule: "github.com/openshift/client-go@v0.0.0-20251015124057-db0dee36e235",
	},
	{
		Module: "kubevirt.io/api", Version: "v1.6.0",
		Packages: []string{"..."},
	},
	{
		Module: "open-cluster-management.io/api", Version: "v1.0.0",
		Packages:  []string{"cluster/..."},
		Clientset: "open-cluster-management.io/api/client/cluster/clientset/versioned",
	},
	{
		Name:   "open-cluster-management-work",
		Module: "open-cluster-management.io/api", Version: "v1.0.0",
		Packages:  []string{"work/..."},
		Clientset: "open-cluster-management.io/api/client/work/clientset/versioned",
	},
	{
		Module: "github.com/karmada-io/karmada", Version: "v1.12.0",
		Packages: []string{
			"pkg/apis/apps/v1alpha1", "pkg/apis/autoscaling/v1alpha1", "pkg/apis/cluster/v1alpha1", "pkg/apis/config/v1alpha1", "pkg/apis/networking/v1alpha1",
			"pkg/apis/policy/v1alpha1", "pkg/apis/remedy/v1alpha1", "pkg/apis/search/v1alpha1", "pkg/apis/work/v1alpha1", "pkg/apis/work/v1alpha2",
		},
		Clientset: "github.com/karmada-io/karmada/pkg/generated/clientset/versioned",
	},
	{
		Module: "github.com/gardener/gardener", Version: "v1.110.0",
		Packages:  []string{"pkg/apis/core/v1", "pkg/apis/core/v1beta1"},
		Clientset: "github.com/gardener/gardener/pkg/client/core/clientset/versioned",
		Accepted: []compare.Accepted{{
			Pattern: `(typed/core/v1beta1/)?mock: missing: package`,
			Reason:  "The published package also has mocks of the interfaces. Another generator writes them.",
		}},
	},
	{
		Module: "github.com/crossplane/crossplane/v2", Version: "v2.0.2",
		Packages: []string{"apis/apiextensions/...", "apis/ops/...", "apis/pkg/v1", "apis/pkg/v1beta1", "apis/protection/..."},
		Shape:    "files with build constraints; scopes that contradict +genclient",
	},
	{
		Module: "github.com/Azure/azure-service-operator/v2", Version: "v2.13.0",
		Packages: []string{"api/cache/v1api20230401", "api/cache/v1api20230801", "api/containerservice/v1api20240901"},
		Shape:    "versions that contain a date, such as v1api20240901",
	},
	{
		Name:   "azure-service-operator-storage",
		Module: "github.com/Azure/azure-service-operator/v2", Version: "v2.13.0",
		Packages: []string{"api/cache/v1api20230401/..."},
		Shape:    "a package and its subfolder storage, with the same group",
	},
	{
		Name:   "ack-ec2",
		Module: "github.com/aws-controllers-k8s/ec2-controller", Version: "v1.2.15",
		Packages: []string{"apis/v1alpha1"},
	},
	{
		Module: "github.com/metal3-io/baremetal-operator/apis", Version: "v0.9.1",
		Packages: []string{"metal3.io/..."},
	},
	{
		Module: "github.com/grafana/grafana-operator/v5", Version: "v5.18.0",
		Packages: []string{"api/v1beta1"},
	},
	{
		Module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", Version: "v0.75.0",
		Packages:     []string{"..."},
		Apply:        "github.com/prometheus-operator/prometheus-operator/pkg/client/applyconfiguration",
		Clientset:    "github.com/prometheus-operator/prometheus-operator/pkg/client/versioned",
		ClientModule: "github.com/prometheus-operator/prometheus-operator/pkg/client@v0.75.0",
		Shape:        "lists of pointers",
	},
}
