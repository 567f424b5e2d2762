package podserver

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node makes node i as the server has it at first.
func Node(i int) *corev1.Node { return newNode(i, 1, firstVersion+uint64(i)) }

// newNode makes node i, as a kubelet and a cloud provider write it. Its JSON has 13 KB, half of which are the images that it has.
// generation counts its heartbeats.
func newNode(i, generation int, version uint64) *corev1.Node {
	hash := func(n int) string { return fmt.Sprintf("%064x", uint64(i+1)*uint64(n+1)*7_368_787) }
	at := metav1.NewTime(time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC))
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("node-%d", i), UID: Pod(i).UID, CreationTimestamp: at, ResourceVersion: strconv.FormatUint(version, 10),
			Labels: map[string]string{
				"kubernetes.io/hostname": fmt.Sprintf("node-%d", i), "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
				"topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%3), "topology.kubernetes.io/region": "region", "node.kubernetes.io/instance-type": "large-4",
				"example.com/pool": fmt.Sprintf("pool-%d", i%20),
			},
			Annotations: map[string]string{
				"csi.volume.kubernetes.io/nodeid": fmt.Sprintf(`{"disk.csi.example.com":"i-%s"}`, hash(1)), "node.alpha.kubernetes.io/ttl": "0",
				"example.com/machine": "default/machine-" + hash(2), "volumes.kubernetes.io/controller-managed-attach-detach": "true",
			},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at, FieldsType: "FieldsV1", Subresource: "status",
				FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{` + strings.Repeat(`"k:{\"type\":\"MemoryPressure\"}":{"f:lastHeartbeatTime":{},"f:message":{}},`, 12) + `".":{}}}}`),
			}},
		},
		Spec: corev1.NodeSpec{
			ProviderID: "example:///zone/i-" + hash(1), PodCIDR: fmt.Sprintf("10.%d.%d.0/24", i/256, i%256), PodCIDRs: []string{fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)},
			Taints: []corev1.Taint{{Key: "example.com/pool", Value: fmt.Sprintf("pool-%d", i%20), Effect: corev1.TaintEffectNoSchedule}},
		},
		Status: corev1.NodeStatus{
			Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("172.16.%d.%d", i/256, i%256)}, {Type: corev1.NodeHostName, Address: fmt.Sprintf("node-%d", i)}},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: hash(3), SystemUUID: hash(4), BootID: hash(5), KernelVersion: "6.8.0", OSImage: "Linux", ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.34.1",
				OperatingSystem: "linux", Architecture: "amd64",
			},
		},
	}
	heartbeat := metav1.NewTime(at.Add(time.Duration(generation) * 10 * time.Second))
	amounts := func() corev1.ResourceList {
		all := corev1.ResourceList{}
		for name, text := range map[corev1.ResourceName]string{"cpu": "15890m", "memory": "63124760Ki", "pods": "110", "ephemeral-storage": "95491281146", "hugepages-1Gi": "0", "hugepages-2Mi": "0"} {
			all[name] = resource.MustParse(text)
		}
		return all
	}
	n.Status.Capacity, n.Status.Allocatable = amounts(), amounts()
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady, "KernelDeadlock"} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionFalse, LastHeartbeatTime: heartbeat, LastTransitionTime: at, Reason: "KubeletHas" + string(kind), Message: "kubelet has sufficient resources for " + string(kind),
		})
	}
	for image := range 47 {
		name := fmt.Sprintf("registry.example.com/team-%d/image-%d", i%50, image)
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{name + "@sha256:" + hash(image), name + ":v1.2.3"}, SizeBytes: int64(image+1) * 7_368_787})
	}
	return n
}
