package builtin

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestPullPolicy(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for image, want := range map[string]corev1.PullPolicy{
		"":                             corev1.PullIfNotPresent,
		"web":                          corev1.PullAlways,
		"web:latest":                   corev1.PullAlways,
		"web:1":                        corev1.PullIfNotPresent,
		"web" + digest:                 corev1.PullIfNotPresent,
		"web:1" + digest:               corev1.PullIfNotPresent,
		"web:latest" + digest:          corev1.PullAlways,
		"localhost:5000/team/web":      corev1.PullAlways,
		"localhost:5000/team/web:v1":   corev1.PullIfNotPresent,
		"localhost:5000/web" + digest:  corev1.PullIfNotPresent,
		"registry.example.com/web:1.2": corev1.PullIfNotPresent,
	} {
		if got := pullPolicy(image); got != want {
			t.Errorf("the image %q is pulled %s, want %s", image, got, want)
		}
	}
}
