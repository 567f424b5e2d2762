package main

// project is a published program with informers.
type project struct {
	name, module, version string
	// packages are patterns; the default is all packages.
	packages []string
	// edits are arguments of go mod edit, for requirements that can no longer be had.
	edits []string
}

// projects are the projects of test/operators and test/wild that have informers or a manager, and more.
var projects = []project{
	{name: "argo-rollouts", module: "github.com/argoproj/argo-rollouts", version: "v1.8.3"},
	{name: "argo-workflows", module: "github.com/argoproj/argo-workflows/v3", version: "v3.6.10"},
	{name: "cert-manager", module: "github.com/cert-manager/cert-manager", version: "v1.21.2"},
	{name: "cilium", module: "github.com/cilium/cilium", version: "v1.17.0", packages: []string{"./operator/...", "./pkg/k8s/...", "./daemon/..."}},
	{name: "cluster-api", module: "sigs.k8s.io/cluster-api", version: "v1.10.4"},
	{name: "contour", module: "github.com/projectcontour/contour", version: "v1.33.8"},
	{name: "external-dns", module: "sigs.k8s.io/external-dns", version: "v0.18.0"},
	{name: "flagger", module: "github.com/fluxcd/flagger", version: "v1.44.0"},
	{name: "gardener", module: "github.com/gardener/gardener", version: "v1.110.0"},
	{name: "gatekeeper", module: "github.com/open-policy-agent/gatekeeper/v3", version: "v3.23.1"},
	{name: "grafana-operator", module: "github.com/grafana/grafana-operator/v5", version: "v5.18.0"},
	{name: "jobset", module: "sigs.k8s.io/jobset", version: "v0.8.0"},
	{name: "karmada", module: "github.com/karmada-io/karmada", version: "v1.12.0"},
	{name: "katib", module: "github.com/kubeflow/katib", version: "v0.19.0"},
	{name: "keda", module: "github.com/kedacore/keda/v2", version: "v2.21.0"},
	{name: "knative-eventing", module: "knative.dev/eventing", version: "v0.45.0"},
	{name: "knative-serving", module: "knative.dev/serving", version: "v0.49.1"},
	{name: "kserve", module: "github.com/kserve/kserve", version: "v0.14.0"},
	{name: "kuberay", module: "github.com/ray-project/kuberay/ray-operator", version: "v1.3.0"},
	{name: "kueue", module: "sigs.k8s.io/kueue", version: "v0.10.0"},
	{name: "kyverno", module: "github.com/kyverno/kyverno", version: "v1.19.1"},
	{name: "longhorn-manager", module: "github.com/longhorn/longhorn-manager", version: "v1.7.2"},
	{name: "lws", module: "sigs.k8s.io/lws", version: "v0.6.0"},
	{name: "scheduler-plugins", module: "sigs.k8s.io/scheduler-plugins", version: "v0.31.8"},
	{name: "tekton-pipeline", module: "github.com/tektoncd/pipeline", version: "v1.0.0"},
	{name: "training-operator", module: "github.com/kubeflow/training-operator", version: "v1.8.1"},
	{name: "velero", module: "github.com/vmware-tanzu/velero", version: "v1.18.3"},
	{name: "vertical-pod-autoscaler", module: "k8s.io/autoscaler/vertical-pod-autoscaler", version: "v1.8.1"},

	// In neither of the two.
	{name: "argo-cd", module: "github.com/argoproj/argo-cd/v3", version: "4d09b7bdda"},
	{name: "aws-load-balancer-controller", module: "sigs.k8s.io/aws-load-balancer-controller/v3", version: "0a3207c2d"},
	{name: "chainsaw", module: "github.com/kyverno/chainsaw", version: "v0.2.13"},
	{name: "clickhouse-operator", module: "github.com/altinity/clickhouse-operator", version: "50e8d0490"},
	{name: "cloudnative-pg", module: "github.com/cloudnative-pg/cloudnative-pg", version: "v1.25.0"},
	{name: "eck", module: "github.com/elastic/cloud-on-k8s/v3", version: "v3.5.0"},
	{name: "kuma", module: "github.com/kumahq/kuma", version: "fe75f6543f"},
	{name: "moco", module: "github.com/cybozu-go/moco", version: "cdfed8a9"},
	{name: "pipelines-as-code", module: "github.com/openshift-pipelines/pipelines-as-code", version: "27ac5d7e2"},
	{name: "tekton-chains", module: "github.com/tektoncd/chains", version: "v0.22.0"},

	// What others begin with: a finding here is most likely wrong.
	{name: "sample-controller", module: "k8s.io/sample-controller", version: "v0.34.1"},
	{name: "client-go", module: "k8s.io/client-go", version: "v0.37.2", packages: []string{"./examples/...", "./tools/leaderelection/..."}},
}

// thread is a public report of a mistake, with its fix.
type thread struct {
	issue string
	// before is the program before the fix, whose version is a commit, and fixed is the commit of the fix.
	before project
	fixed  string
	// analyzer finds the mistake in the file, with a message that has the text.
	analyzer, file, text string
}

var threads = []thread{
	{"knative/pkg#3220", project{name: "knative-pkg", module: "knative.dev/pkg", version: "51874fe86", packages: []string{"./configmap/informer"}}, "93d6642bd", "tombstone", "configmap/informer/informed_watcher.go", ""},
	{"kumahq/kuma#17065", project{name: "kuma", module: "github.com/kumahq/kuma", version: "fe75f6543f", packages: []string{"./pkg/plugins/resources/k8s/events"}}, "5fe6bc8b3f", "tombstone", "pkg/plugins/resources/k8s/events/listener.go", ""},
	{"Altinity/clickhouse-operator#1882", project{name: "clickhouse-operator", module: "github.com/altinity/clickhouse-operator", version: "50e8d0490", packages: []string{"./pkg/controller/chi"}}, "", "tombstone", "pkg/controller/chi/controller.go", ""},
	{"aws-load-balancer-controller#4879", project{name: "aws-load-balancer-controller", module: "sigs.k8s.io/aws-load-balancer-controller/v3", version: "0a3207c2d", packages: []string{"./pkg/k8s"}}, "ed2b707b2", "tombstone", "pkg/k8s/typed_informer.go", ""},
	{"tektoncd/pipeline#4179", project{name: "tekton-pipeline", module: "github.com/tektoncd/pipeline", version: "44fb53628", packages: []string{"./pkg/reconciler/pipelinerun"}}, "49d721b98", "cachewrite", "pkg/reconciler/pipelinerun/pipelinerun.go", ""},
	{"argoproj/argo-cd#3821", project{
		name: "argo-cd", module: "github.com/argoproj/argo-cd", version: "be718e2b61", packages: []string{"./controller"},
		edits: []string{"-droprequire=bou.ke/monkey", "-replace=vbom.ml/util=github.com/fvbommel/util@v0.0.0-20160121211510-db5cfe13f5cc"},
	}, "fc2e3f82a2", "cachewrite", "controller/appcontroller.go", "ValidateDestination"},
	{"tektoncd/pipelines-as-code#2825", project{name: "pipelines-as-code", module: "github.com/openshift-pipelines/pipelines-as-code", version: "ccba1d5ca", packages: []string{"./pkg/reconciler"}}, "e6f341661", "cachewrite", "pkg/reconciler/finalizer.go", ""},
	{"cybozu-go/moco#924", project{name: "moco", module: "github.com/cybozu-go/moco", version: "79765ba2", packages: []string{"./controllers"}}, "2313341e", "scan", "controllers/mysqlcluster_controller.go", ""},
}
