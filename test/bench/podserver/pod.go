package podserver

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Namespaces is how many namespaces have objects.
const Namespaces = 100

// began is the creation time of the first object. It is the same in each run.
var began = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// replicas is how many pods a ReplicaSet has.
const replicas = 3

// Name returns the namespace and the name of object i, of any kind.
func Name(i int) (namespace, name string) {
	return Namespace(i / replicas % Namespaces), "web-" + setHash(i) + "-" + suffix(uint64(i), 5)
}

// Namespace returns the name of namespace n.
func Namespace(n int) string { return fmt.Sprintf("team-%03d", n) }

func setHash(i int) string { return suffix(uint64(i/replicas), 10) }

// suffix looks like those of generated names. It differs for each n below 27 to the power
// of length.
func suffix(n uint64, length int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	const scatter = 7_368_787 // a prime, so that successive names are not alike
	n *= scatter
	text := make([]byte, length)
	for i := range text {
		text[i] = letters[n%uint64(len(letters))]
		n /= uint64(len(letters))
	}
	return string(text)
}

// newPod makes pod i, which is like the pod of a small service's Deployment. Its JSON has
// about 1.9 KB, and its Go value takes about 4 KB. Values differ between pods if they do
// in a cluster. generation counts its changes.
func newPod(i, generation int, version uint64) *corev1.Pod {
	random := rand.New(rand.NewPCG(uint64(i), 1))
	namespace, name := Name(i)
	app := fmt.Sprintf("web-%d", i/replicas%500)
	created := metav1.NewTime(began.Add(time.Duration(i) * 7 * time.Second))
	started := metav1.NewTime(created.Add(3 * time.Second))
	yes := true
	hash := setHash(i)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: uid(random),
			ResourceVersion: strconv.FormatUint(version, 10), CreationTimestamp: created,
			Labels:      map[string]string{"app": app, "pod-template-hash": hash, "revision": strconv.Itoa(generation)},
			Annotations: map[string]string{"example.com/checksum": strconv.FormatUint(random.Uint64(), 16)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-" + hash, UID: uid(random), Controller: &yes, BlockOwnerDeletion: &yes,
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				managed("kube-controller-manager", "v1", "", created, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{},"f:restartPolicy":{}}}`),
				managed("kubelet", "v1", "status", started, `{"f:status":{"f:phase":{},"f:podIP":{}}}`),
			},
		},
		Spec: corev1.PodSpec{
			NodeName:           fmt.Sprintf("node-%d", random.IntN(2000)),
			ServiceAccountName: app,
			RestartPolicy:      corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{
				Name: "web", Image: "registry.example.com/" + app + ":v1." + strconv.Itoa(generation),
				Ports: []corev1.ContainerPort{{ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
				Env: []corev1.EnvVar{
					{Name: "TENANT", Value: namespace},
					{Name: "DATABASE_URL", Value: "postgres://" + app + "@postgres." + namespace + ".svc.cluster.local:5432/" + app},
				},
			}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: &created,
			QOSClass: corev1.PodQOSBurstable, HostIP: address(10, random.Uint32()), PodIP: address(172, random.Uint32()),
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: started}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "web", Ready: true, RestartCount: random.Int32N(4), Image: "registry.example.com/" + app + ":v1." + strconv.Itoa(generation),
				ImageID:     fmt.Sprintf("registry.example.com/%s@sha256:%016x%016x%016x%016x", app, random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64()),
				ContainerID: fmt.Sprintf("containerd://%016x%016x", random.Uint64(), random.Uint64()),
				State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
			}},
		},
	}
}

func managed(manager, version, subresource string, at metav1.Time, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: version, Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
	}
}

func address(first byte, n uint32) string {
	rest := binary.BigEndian.AppendUint32(nil, n)
	return fmt.Sprintf("%d.%d.%d.%d", first, rest[0], rest[1], rest[2])
}

func uid(random *rand.Rand) types.UID {
	a, b := random.Uint64(), random.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff))
}

// Pod makes pod i as the server has it at first.
func Pod(i int) *corev1.Pod { return newPod(i, 1, firstVersion+uint64(i)) }

// Enlarge gives a pod what pods of real clusters have: sidecars, volumes and many variables. With five sidecars it has 8 KB of
// protobuf, and 12 KB of JSON.
func Enlarge(pod *corev1.Pod, sidecars int) {
	first := pod.Spec.Containers[0]
	for c := range sidecars {
		sidecar := *first.DeepCopy()
		sidecar.Name = fmt.Sprintf("sidecar-%d", c)
		for v := range 20 {
			sidecar.Env = append(sidecar.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d_OF_THE_SIDECAR", v), Value: fmt.Sprintf("value-%d-of-%s", v*c, pod.Namespace)})
		}
		for v := range 5 {
			sidecar.VolumeMounts = append(sidecar.VolumeMounts, corev1.VolumeMount{Name: fmt.Sprintf("volume-%d", v), MountPath: fmt.Sprintf("/var/lib/volume-%d", v)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, sidecar)
	}
	for v := range 5 {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("volume-%d", v), VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: fmt.Sprintf("%s-%d", pod.Labels["app"], v)}},
		}})
	}
}
