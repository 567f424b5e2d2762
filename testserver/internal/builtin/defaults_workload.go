package builtin

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func setDeployment(deployment *appsv1.Deployment) {
	spec := &deployment.Spec
	or(&spec.Replicas, 1)
	or(&spec.RevisionHistoryLimit, 10)
	or(&spec.ProgressDeadlineSeconds, 600)
	orZero(&spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		or(&spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		or(&spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
		or(&spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
	}
	setPodSpec(&spec.Template.Spec)
}

func setStatefulSet(set *appsv1.StatefulSet) {
	spec := &set.Spec
	or(&spec.Replicas, 1)
	or(&spec.RevisionHistoryLimit, 10)
	orZero(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	orZero(&spec.UpdateStrategy.Type, appsv1.RollingUpdateStatefulSetStrategyType)
	if spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType {
		or(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
		or(&spec.UpdateStrategy.RollingUpdate.Partition, 0)
	}
	or(&spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	orZero(&spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orZero(&spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	for i := range spec.VolumeClaimTemplates {
		claim := &spec.VolumeClaimTemplates[i]
		claim.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}
		or(&claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		orZero(&claim.Status.Phase, corev1.ClaimPending)
	}
	setPodSpec(&spec.Template.Spec)
}

func setDaemonSet(set *appsv1.DaemonSet) {
	spec := &set.Spec
	or(&spec.RevisionHistoryLimit, 10)
	orZero(&spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		or(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		or(&spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		or(&spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	}
	setPodSpec(&spec.Template.Spec)
}

func setJob(job *batchv1.Job) {
	spec := &job.Spec
	if spec.Parallelism == nil {
		or(&spec.Completions, 1)
	}
	or(&spec.Parallelism, 1)
	or(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	or(&spec.Suspend, false)
	or(&spec.ManualSelector, false)
	if spec.BackoffLimitPerIndex != nil {
		or(&spec.BackoffLimit, math.MaxInt32)
	}
	or(&spec.BackoffLimit, 6)
	if spec.PodFailurePolicy != nil {
		or(&spec.PodReplacementPolicy, batchv1.Failed)
	}
	or(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	setPodSpec(&spec.Template.Spec)
}

func setCronJob(job *batchv1.CronJob) {
	orZero(&job.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	or(&job.Spec.Suspend, false)
	or(&job.Spec.SuccessfulJobsHistoryLimit, 3)
	or(&job.Spec.FailedJobsHistoryLimit, 1)
	setPodSpec(&job.Spec.JobTemplate.Spec.Template.Spec)
}
