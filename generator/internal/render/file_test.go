package render

import "testing"

func TestExternalAlias(t *testing.T) {
	for path, want := range map[string]string{
		"k8s.io/api/autoscaling/v1":      "autoscalingv1",
		"example.com/some-thing/v1beta1": "somethingv1beta1",
		"example.com/opts":               "examplecomopts",
		"opts":                           "opts", // which use makes otheropts
		"x/9p":                           "x9p",
		"9/p":                            "pkg9p",
		"gopkg.in/yaml.v3":               "gopkginyamlv3",
	} {
		if got := externalAlias(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}
