package main

// storageRows are storage, backups, databases and queues.
var storageRows = []Row{
	{
		Module: "github.com/kubernetes-csi/external-snapshotter/client/v8", Version: "v8.7.0",
		Packages:  []string{"apis/..."},
		Clientset: "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned",
	},
	{
		Module: "github.com/rook/rook/pkg/apis", Version: "v0.0.0-20241216163035-3170ac6a0c58",
		Packages: []string{"ceph.rook.io/v1"},
	},
	{
		Module: "github.com/vmware-tanzu/velero", Version: "v1.18.3",
		Packages: []string{"pkg/apis/velero/..."},
	},
	{
		Module: "github.com/longhorn/longhorn-manager", Version: "v1.7.2",
		Packages:  []string{"k8s/pkg/apis/longhorn/..."},
		Clientset: "github.com/longhorn/longhorn-manager/k8s/pkg/client/clientset/versioned",
	},
	{
		Module: "github.com/cloudnative-pg/cloudnative-pg", Version: "v1.25.0",
		Packages: []string{"api/v1"},
	},
	{
		Module: "github.com/zalando/postgres-operator", Version: "v1.13.0",
		Packages:  []string{"pkg/apis/..."},
		Clientset: "github.com/zalando/postgres-operator/pkg/generated/clientset/versioned",
		Unusable:  "its packages import one that ends a program which does not run in a pod",
	},
	{
		Module: "github.com/spotahome/redis-operator", Version: "v1.2.4",
		Packages:  []string{"api/redisfailover/v1"},
		Clientset: "github.com/spotahome/redis-operator/client/k8s/clientset/versioned",
	},
	{
		Module: "github.com/rabbitmq/cluster-operator/v2", Version: "v2.12.1",
		Packages: []string{"api/v1beta1"},
	},
	{
		Module: "github.com/elastic/cloud-on-k8s/v3", Version: "v3.5.0",
		Packages: []string{"pkg/apis/..."},
	},
}
