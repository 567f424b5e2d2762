package main

import "github.com/typedinformers/informer-gen/test/compare"

// deliveryRows are pipelines, deployments, functions and autoscaling.
var deliveryRows = []Row{
	{
		Module: "github.com/argoproj/argo-rollouts", Version: "v1.8.3",
		Packages:  []string{"pkg/apis/rollouts/v1alpha1"},
		Clientset: "github.com/argoproj/argo-rollouts/pkg/client/clientset/versioned",
	},
	{
		Module: "github.com/argoproj/argo-workflows/v3", Version: "v3.6.10",
		Packages:  []string{"pkg/apis/workflow/v1alpha1"},
		Clientset: "github.com/argoproj/argo-workflows/v3/pkg/client/clientset/versioned",
	},
	{
		Module: "knative.dev/serving", Version: "v0.45.0",
		Packages:  []string{"pkg/apis/autoscaling/v1alpha1", "pkg/apis/serving/v1", "pkg/apis/serving/v1beta1"},
		Clientset: "knative.dev/serving/pkg/client/clientset/versioned",
	},
	{
		Name:   "autoscaling-twice",
		Module: "knative.dev/serving", Version: "v0.45.0",
		Packages: []string{"pkg/apis/autoscaling/v1alpha1"},
		Others:   []string{"k8s.io/api/autoscaling/v2"},
		Flags:    []string{"--group-go-names=autoscaling.internal.knative.dev:KnativeAutoscaling", "--group-dirs=autoscaling.internal.knative.dev:knativeautoscaling"},
		Shape:    "two groups of two modules with the same Go name and the same folder",
	},
	{
		Module: "knative.dev/eventing", Version: "v0.45.0",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "knative.dev/eventing/pkg/client/clientset/versioned",
		Unusable:  "its packages import one whose goroutine, which begins with the program, uses channels of the test's bubble",
	},
	{
		Module: "github.com/tektoncd/pipeline", Version: "v1.0.0",
		Packages:  []string{"pkg/apis/pipeline/..."},
		Clientset: "github.com/tektoncd/pipeline/pkg/client/clientset/versioned",
	},
	{
		Name:   "tekton-resolution",
		Module: "github.com/tektoncd/pipeline", Version: "v1.0.0",
		Packages:  []string{"pkg/apis/resolution/..."},
		Clientset: "github.com/tektoncd/pipeline/pkg/client/resolution/clientset/versioned",
	},
	{
		Module: "github.com/fluxcd/source-controller/api", Version: "v1.6.2",
		Packages: []string{"..."},
		Shape:    "version folders directly below the module",
	},
	{
		Module: "github.com/fluxcd/kustomize-controller/api", Version: "v1.6.1",
		Packages: []string{"..."},
	},
	{
		Module: "github.com/fluxcd/helm-controller/api", Version: "v1.3.0",
		Packages: []string{"..."},
	},
	{
		Module: "github.com/fluxcd/notification-controller/api", Version: "v1.6.0",
		Packages: []string{"..."},
	},
	{
		Module: "github.com/fluxcd/flagger", Version: "v1.41.0",
		// Not pkg/apis/keda, which needs a package that k8s.io/api no longer has.
		Packages: []string{"pkg/apis/apisix/...", "pkg/apis/appmesh/...", "pkg/apis/flagger/...", "pkg/apis/gatewayapi/...", "pkg/apis/gloo/...", "pkg/apis/istio/...", "pkg/apis/kuma/...", "pkg/apis/projectcontour/...", "pkg/apis/smi/...", "pkg/apis/traefik/..."},
		Shape:    "copies of other projects' groups",
	},
	{
		Module: "github.com/kedacore/keda/v2", Version: "v2.21.0",
		Packages:  []string{"apis/keda/..."},
		Clientset: "github.com/kedacore/keda/v2/pkg/generated/clientset/versioned",
	},
	{
		Module: "github.com/kserve/kserve", Version: "v0.14.0",
		Packages:  []string{"pkg/apis/serving/..."},
		Clientset: "github.com/kserve/kserve/pkg/client/clientset/versioned",
		Shape:     "+kubebuilder:resource that contradicts +genclient",
		Accepted: []compare.Accepted{{
			Pattern: `typed/serving/v1alpha1(/fake)? \S+\.(Cluster\w+|LocalModelNodeGroups): changed: theirs func\(namespace string\) .*, ours func\(\) .*`,
			Reason:  "The published package has namespaced clients for kinds that are cluster-scoped in the CRDs, so these clients do not work. informer-gen uses the scope of +kubebuilder:resource, and prints a warning.",
		}},
	},
	{
		Name:   "kubeflow-training-operator",
		Module: "github.com/kubeflow/training-operator", Version: "v1.8.1",
		Packages:  []string{"pkg/apis/kubeflow.org/..."},
		Clientset: "github.com/kubeflow/training-operator/pkg/client/clientset/versioned",
	},
	{
		Name:   "kubeflow-trainer",
		Module: "github.com/kubeflow/trainer/v2", Version: "v2.0.0",
		Packages:  []string{"pkg/apis/trainer/..."},
		Apply:     "github.com/kubeflow/trainer/v2/pkg/client/applyconfiguration",
		Clientset: "github.com/kubeflow/trainer/v2/pkg/client/clientset/versioned",
	},
	{
		Name:   "kuberay",
		Module: "github.com/ray-project/kuberay/ray-operator", Version: "v1.3.0",
		Packages:  []string{"apis/ray/v1"},
		Apply:     "github.com/ray-project/kuberay/ray-operator/pkg/client/applyconfiguration",
		Clientset: "github.com/ray-project/kuberay/ray-operator/pkg/client/clientset/versioned",
	},
	{
		Module: "volcano.sh/apis", Version: "v1.12.1",
		Packages:  []string{"pkg/apis/batch/v1alpha1", "pkg/apis/bus/v1alpha1", "pkg/apis/flow/v1alpha1", "pkg/apis/nodeinfo/v1alpha1", "pkg/apis/scheduling/v1beta1", "pkg/apis/topology/v1alpha1"},
		Apply:     "volcano.sh/apis/pkg/client/applyconfiguration",
		Clientset: "volcano.sh/apis/pkg/client/clientset/versioned",
	},
	{
		Module: "github.com/openkruise/kruise-api", Version: "v1.8.0",
		Packages:  []string{"apps/...", "policy/..."},
		Clientset: "github.com/openkruise/kruise-api/client/clientset/versioned",
	},
}
