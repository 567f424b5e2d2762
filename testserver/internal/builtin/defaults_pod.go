package builtin

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// setPod sets the fields that a Pod has and the template of a Pod has not.
func setPod(pod *corev1.Pod) {
	spec := &pod.Spec
	setPodSpec(spec)
	or(&spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			container := &containers[i]
			setRequests(&container.Resources)
			if spec.HostNetwork {
				for j := range container.Ports {
					orZero(&container.Ports[j].HostPort, container.Ports[j].ContainerPort)
				}
			}
		}
	}
}

// setRequests requests the limit of each resource that is limited and not requested.
func setRequests(resources *corev1.ResourceRequirements) {
	if len(resources.Limits) == 0 {
		return
	}
	requests := maps.Clone(resources.Limits)
	maps.Copy(requests, resources.Requests)
	resources.Requests = requests
}

func setPodSpec(spec *corev1.PodSpec) {
	orZero(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	orZero(&spec.DNSPolicy, corev1.DNSClusterFirst)
	orZero(&spec.SchedulerName, corev1.DefaultSchedulerName)
	or(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	or(&spec.SecurityContext, corev1.PodSecurityContext{})
	// One field is the old name of the other.
	orZero(&spec.ServiceAccountName, spec.DeprecatedServiceAccount)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			setContainer(&containers[i])
		}
	}
	for i := range spec.Volumes {
		setVolume(&spec.Volumes[i].VolumeSource)
	}
}

func setContainer(container *corev1.Container) {
	orZero(&container.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	orZero(&container.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	orZero(&container.ImagePullPolicy, pullPolicy(container.Image))
	for i := range container.Ports {
		orZero(&container.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range container.Env {
		if from := container.Env[i].ValueFrom; from != nil {
			setFieldRef(from.FieldRef)
		}
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe == nil {
			continue
		}
		orZero(&probe.TimeoutSeconds, 1)
		orZero(&probe.PeriodSeconds, 10)
		orZero(&probe.SuccessThreshold, 1)
		orZero(&probe.FailureThreshold, 3)
		setHTTPGet(probe.HTTPGet)
		if probe.GRPC != nil {
			or(&probe.GRPC.Service, "")
		}
	}
	if lifecycle := container.Lifecycle; lifecycle != nil {
		for _, handler := range []*corev1.LifecycleHandler{lifecycle.PostStart, lifecycle.PreStop} {
			if handler != nil {
				setHTTPGet(handler.HTTPGet)
			}
		}
	}
}

// pullPolicy is Always for an image that may change: one with the tag latest, or with neither tag nor digest.
func pullPolicy(image string) corev1.PullPolicy {
	name, _, hasDigest := strings.Cut(image, "@")
	_, tag, hasTag := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	if tag == "latest" || image != "" && !hasTag && !hasDigest {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

func setHTTPGet(get *corev1.HTTPGetAction) {
	if get == nil {
		return
	}
	orZero(&get.Path, "/")
	orZero(&get.Scheme, corev1.URISchemeHTTP)
}

func setFieldRef(ref *corev1.ObjectFieldSelector) {
	if ref != nil {
		orZero(&ref.APIVersion, "v1")
	}
}

func setVolume(source *corev1.VolumeSource) {
	if *source == (corev1.VolumeSource{}) {
		source.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	const mode = 0o644
	switch {
	case source.Secret != nil:
		or(&source.Secret.DefaultMode, mode)
	case source.ConfigMap != nil:
		or(&source.ConfigMap.DefaultMode, mode)
	case source.HostPath != nil:
		or(&source.HostPath.Type, corev1.HostPathUnset)
	case source.Ephemeral != nil && source.Ephemeral.VolumeClaimTemplate != nil:
		or(&source.Ephemeral.VolumeClaimTemplate.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	case source.Image != nil:
		orZero(&source.Image.PullPolicy, pullPolicy(source.Image.Reference))
	case source.DownwardAPI != nil:
		or(&source.DownwardAPI.DefaultMode, mode)
		for i := range source.DownwardAPI.Items {
			setFieldRef(source.DownwardAPI.Items[i].FieldRef)
		}
	case source.Projected != nil:
		or(&source.Projected.DefaultMode, mode)
		for _, projection := range source.Projected.Sources {
			if projection.ServiceAccountToken != nil {
				or(&projection.ServiceAccountToken.ExpirationSeconds, 60*60)
			}
			if projection.DownwardAPI != nil {
				for i := range projection.DownwardAPI.Items {
					setFieldRef(projection.DownwardAPI.Items[i].FieldRef)
				}
			}
		}
	}
}
