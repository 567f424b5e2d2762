package main

// operator is a published project whose authors use the generators of code-generator.
type operator struct {
	name string
	// module is the project with a version.
	module string
	// client is the module with the API and the generated code, in the folder of that name, if it is not the project.
	client, clientModule string
	// output is the folder of all generated code in its module.
	output string
	// tests are the patterns of the packages whose tests run, which are those that use clients and informers.
	tests []string
	// first is for the first sync, which is measured if it has a kind.
	first kind
}

// kind is what the first sync reads.
type kind struct {
	// version is a group and a version, and informer the call that returns the informer of a factory.
	version, kind, informer string
	// body is a spec and a status. %d is the number of the object.
	body string
}

var operators = []operator{
	{
		name: "argo-rollouts", module: "github.com/argoproj/argo-rollouts@v1.9.0", output: "pkg/client",
		tests: []string{"./analysis/...", "./experiments/...", "./ingress/...", "./service/..."},
		first: kind{
			version: "argoproj.io/v1alpha1", kind: "Rollout", informer: "Argoproj().V1alpha1().Rollouts()",
			body: `"spec":{"replicas":4,"revisionHistoryLimit":3,"selector":{"matchLabels":{"app":"shop-%d"}},"strategy":{"canary":{"steps":[{"setWeight":20},{"pause":{"duration":"5m"}},{"setWeight":60},{"pause":{}}]}},` +
				`"template":{"metadata":{"labels":{"app":"shop-%d"}},"spec":{"containers":[{"name":"shop","image":"registry.example.com/shop:1.2.%d","ports":[{"name":"http","containerPort":8080}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}},` +
				`"status":{"replicas":4,"readyReplicas":4,"availableReplicas":4,"updatedReplicas":4,"phase":"Healthy","stableRS":"5d4f8c%d","conditions":[{"type":"Available","status":"True","reason":"AvailableReason","message":"Rollout has minimum availability"}]}`,
		},
	},
	{
		name: "external-snapshotter", module: "github.com/kubernetes-csi/external-snapshotter/v8@v8.7.0", output: ".",
		client: "client", clientModule: "github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0",
		tests: []string{"./pkg/..."},
		first: kind{
			version: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot", informer: "Snapshot().V1().VolumeSnapshots()",
			body: `"spec":{"source":{"persistentVolumeClaimName":"data-%d"},"volumeSnapshotClassName":"daily"},` +
				`"status":{"boundVolumeSnapshotContentName":"snapcontent-%d","creationTime":"2026-01-01T00:00:00Z","readyToUse":true,"restoreSize":"10Gi"}`,
		},
	},
	{
		name: "flagger", module: "github.com/fluxcd/flagger@v1.44.0", output: "pkg/client",
		tests: []string{"./pkg/canary/...", "./pkg/controller/..."},
		first: kind{
			version: "flagger.app/v1beta1", kind: "Canary", informer: "Flagger().V1beta1().Canaries()",
			body: `"spec":{"provider":"kubernetes","targetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"shop-%d"},"progressDeadlineSeconds":60,"service":{"port":80,"targetPort":8080,"gateways":["public"],"hosts":["shop-%d.example.com"]},` +
				`"analysis":{"interval":"30s","threshold":5,"maxWeight":50,"stepWeight":10,"metrics":[{"name":"request-success-rate","interval":"1m","thresholdRange":{"min":99}},{"name":"request-duration","interval":"1m","thresholdRange":{"max":500}}]}},` +
				`"status":{"phase":"Succeeded","canaryWeight":0,"failedChecks":0,"iterations":0,"lastAppliedSpec":"7f9c%d","lastTransitionTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Promoted","status":"True","reason":"Succeeded","message":"Canary analysis completed successfully","lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z"}]}`,
		},
	},
	{
		name: "knative-serving", module: "knative.dev/serving@v0.49.1", output: "pkg/client",
		tests: []string{
			"./pkg/activator/handler", "./pkg/activator/net", "./pkg/reconciler/autoscaling/hpa", "./pkg/reconciler/autoscaling/kpa", "./pkg/reconciler/configuration", "./pkg/reconciler/domainmapping",
			"./pkg/reconciler/gc", "./pkg/reconciler/labeler", "./pkg/reconciler/nscert", "./pkg/reconciler/revision", "./pkg/reconciler/route/...", "./pkg/reconciler/serverlessservice", "./pkg/reconciler/service", "./pkg/resources",
		},
		first: kind{
			version: "serving.knative.dev/v1", kind: "Revision", informer: "Serving().V1().Revisions()",
			body: `"spec":{"containerConcurrency":0,"timeoutSeconds":300,"enableServiceLinks":false,"containers":[{"name":"user-container","image":"registry.example.com/shop:1.2.%d","ports":[{"name":"h2c","containerPort":8080}],"env":[{"name":"TARGET","value":"shop-%d"}],"readinessProbe":{"successThreshold":1,"tcpSocket":{"port":0}},"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]},` +
				`"status":{"observedGeneration":1,"actualReplicas":1,"desiredReplicas":1,"containerStatuses":[{"name":"user-container","imageDigest":"registry.example.com/shop@sha256:%d"}],"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"ContainerHealthy","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"ResourcesAvailable","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}`,
		},
	},
	{
		name: "tekton-pipeline", module: "github.com/tektoncd/pipeline@v1.10.0", output: "pkg/client",
		tests: []string{
			"./pkg/controller", "./pkg/pipelinerunmetrics", "./pkg/reconciler/notifications/customrun", "./pkg/reconciler/pipelinerun", "./pkg/reconciler/resolutionrequest", "./pkg/reconciler/taskrun",
			"./pkg/taskrunmetrics", "./test",
		},
		first: kind{
			version: "tekton.dev/v1", kind: "TaskRun", informer: "Tekton().V1().TaskRuns()",
			body: `"spec":{"serviceAccountName":"builder","timeout":"1h0m0s","params":[{"name":"revision","value":"main-%d"},{"name":"arguments","value":["build","./..."]}],"taskRef":{"kind":"Task","name":"build"},"workspaces":[{"name":"source","persistentVolumeClaim":{"claimName":"source-%d"}}]},` +
				`"status":{"podName":"object-%d-pod","startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:03:00Z","conditions":[{"type":"Succeeded","status":"True","reason":"Succeeded","message":"All Steps have completed executing","lastTransitionTime":"2026-01-01T00:03:00Z"}],` +
				`"steps":[{"name":"clone","container":"step-clone","terminated":{"exitCode":0,"reason":"Completed","startedAt":"2026-01-01T00:00:10Z","finishedAt":"2026-01-01T00:00:20Z"}},{"name":"build","container":"step-build","terminated":{"exitCode":0,"reason":"Completed","startedAt":"2026-01-01T00:00:20Z","finishedAt":"2026-01-01T00:03:00Z"}}]}`,
		},
	},
	{name: "cluster-inventory-api", module: "sigs.k8s.io/cluster-inventory-api@v0.0.0-20251028164203-2e3fabb46733", output: "client", tests: []string{"./pkg/..."}},
	{name: "sample-controller", module: "k8s.io/sample-controller@v0.34.1", output: "pkg/generated", tests: []string{"."}},
	{
		name: "vertical-pod-autoscaler", module: "k8s.io/autoscaler/vertical-pod-autoscaler@v1.8.1", output: "pkg/client",
		tests: []string{"./pkg/admission-controller/...", "./pkg/recommender/...", "./pkg/updater/...", "./pkg/utils/..."},
	},
	{name: "open-cluster-management-api", module: "open-cluster-management.io/api@v1.0.0", output: "client", tests: []string{"./utils/work/v1/workapplier"}},
	{name: "kwok", module: "sigs.k8s.io/kwok@v0.8.0", output: "pkg/client", tests: []string{"./pkg/kwok/cmd/...", "./pkg/kwok/controllers/...", "./pkg/kwok/server/..."}},
}
