package fields

import (
	"fmt"
	"strings"
	"sync"
)

// marker is what the doc comments of a type or a field say with +structType, +mapType, +listType,
// +listMapKey and +default.
type marker struct {
	atomic   bool     // a struct, map or list that is one value
	granular bool     // a struct of an atomic type that is not one value in this field
	set      bool     // a list of different scalars
	keys     []string // a list that is merged by these fields of its elements
	initial  *string  // the default, which is known only for fields that are keys
}

// markerTable has the markers of k8s.io/api 0.37 that differ from what its struct tags suggest, and
// those of metav1. A row names a group, with a version if the others differ, a type or a field of
// it, and the marker.
const markerTable = `
admissionregistration         MatchResources                                         atomic
admissionregistration         NamedRuleWithOperations                                atomic
admissionregistration         ParamKind                                              atomic
admissionregistration         ParamRef                                               atomic
admissionregistration         ValidatingAdmissionPolicyBindingSpec.validationActions set
admissionregistration         ValidatingAdmissionPolicyStatus.conditions             by type
admissionregistration/v1      Variable                                               atomic
admissionregistration/v1beta1 Variable                                               atomic
apiserverinternal             ServerStorageVersion.decodableVersions                 set
apiserverinternal             ServerStorageVersion.servedVersions                    set
apiserverinternal             StorageVersionStatus.conditions                        by type
apiserverinternal             StorageVersionStatus.storageVersions                   by apiServerID
autoscaling/v1                CrossVersionObjectReference                            atomic
batch                         JobStatus.conditions                                   atomic
batch                         PodFailurePolicyOnExitCodesRequirement.values          set
batch                         UncountedTerminatedPods.failed                         set
batch                         UncountedTerminatedPods.succeeded                      set
certificates                  CertificateSigningRequestStatus.conditions             by type
core                          ConfigMapKeySelector                                   atomic
core                          Container.ports                                        by containerPort,protocol
core                          ContainerPort.protocol                                 default TCP
core                          ContainerRestartRuleOnExitCodes.values                 set
core                          EndpointAddress                                        atomic
core                          EndpointPort                                           atomic
core                          EphemeralContainerCommon.ports                         by containerPort,protocol
core                          EvictionResponder                                      atomic
core                          FileKeySelector                                        atomic
core                          LocalObjectReference                                   atomic
core                          LocalObjectReference.name                              default
core                          NodeAllocatableResourceClaimStatus.containers          set
core                          NodePodPreemptionPolicy.disableResizePreemption        set
core                          NodeSelector                                           atomic
core                          NodeSelectorTerm                                       atomic
core                          ObjectFieldSelector                                    atomic
core                          ObjectReference                                        atomic
core                          PersistentVolumeSpec.claimRef                          granular
core                          PodSpec.nodeSelector                                   atomic
core                          PodSpec.topologySpreadConstraints                      by topologyKey,whenUnsatisfiable
core                          PodStatus.hostIPs                                      atomic
core                          PodStatus.volumeHealth                                 by name
core                          PodVolumeHealth.healthConditions                       by status,reason
core                          ReplicationControllerSpec.selector                     atomic
core                          ResourceFieldSelector                                  atomic
core                          ResourceRequirements.claims                            by name
core                          ResourceStatus.resources                               by resourceID
core                          ScopeSelector                                          atomic
core                          SecretKeySelector                                      atomic
core                          SecretReference                                        atomic
core                          ServicePort.protocol                                   default TCP
core                          ServiceSpec.ports                                      by port,protocol
core                          ServiceSpec.selector                                   atomic
core                          TopologySelectorTerm                                   atomic
core                          TypedLocalObjectReference                              atomic
core                          VolumeHealthStatus.healthConditions                    by status,reason
core                          VolumeMount.bindMountOptions                           set
discovery                     Endpoint.addresses                                     set
discovery/v1                  EndpointPort                                           atomic
flowcontrol                   FlowSchemaStatus.conditions                            by type
flowcontrol                   NonResourcePolicyRule.nonResourceURLs                  set
flowcontrol                   NonResourcePolicyRule.verbs                            set
flowcontrol                   PriorityLevelConfigurationStatus.conditions            by type
flowcontrol                   ResourcePolicyRule.apiGroups                           set
flowcontrol                   ResourcePolicyRule.namespaces                          set
flowcontrol                   ResourcePolicyRule.resources                           set
flowcontrol                   ResourcePolicyRule.verbs                               set
lifecycle                     Requester                                              atomic
lifecycle                     TargetResponder                                        atomic
meta                          LabelSelector                                          atomic
meta                          OwnerReference                                         atomic
networking                    ServiceBackendPort                                     atomic
node                          Scheduling.nodeSelector                                atomic
rbac/v1                       RoleRef                                                atomic
rbac/v1                       Subject                                                atomic
resource                      AllocatedDeviceStatus.conditions                       by type
resource                      DeviceRequestAllocationResult.skipNodeOperations       set
resource                      ResourceClaimStatus.devices                            by driver,device,pool,shareID
resource                      ResourceSliceSpec.skipNodeOperations                   set
scheduling                    CompositePodGroupTemplate.compositePodGroupTemplates   by name
scheduling                    CompositePodGroupTemplate.podGroupTemplates            by name
scheduling                    WorkloadSpec.compositePodGroupTemplates                by name
scheduling                    WorkloadSpec.podGroupTemplates                         by name
storage/v1                    CSIDriverSpec.volumeLifecycleModes                     set
`

var markers = sync.OnceValue(func() map[string]marker {
	found := map[string]marker{}
	for line := range strings.Lines(markerTable) {
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		var m marker
		switch row[2] {
		case "atomic":
			m.atomic = true
		case "granular":
			m.granular = true
		case "set":
			m.set = true
		case "by":
			m.keys = strings.Split(row[3], ",")
		case "default":
			initial := strings.Join(row[3:], " ")
			m.initial = &initial
		default:
			panic(fmt.Sprintf("fields: marker %q in %q", row[2], line))
		}
		found[row[0]+" "+row[1]] = m
	}
	return found
})

// markerOf returns the markers of a type, or of its field if that is not empty.
func markerOf(pkgPath, typeName, field string) marker {
	path, ok := strings.CutPrefix(pkgPath, "k8s.io/api/")
	if !ok {
		if path, ok = strings.CutPrefix(pkgPath, "k8s.io/apimachinery/pkg/apis/"); !ok {
			return marker{}
		}
	}
	name := typeName
	if field != "" {
		name += "." + field
	}
	if m, ok := markers()[path+" "+name]; ok {
		return m
	}
	group, _, _ := strings.Cut(path, "/")
	return markers()[group+" "+name]
}
