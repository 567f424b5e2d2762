package builtin

import (
	"reflect"
	"strings"
	"testing"
)

func TestKindsReadsTheTable(t *testing.T) {
	kinds := map[string]Kind{}
	for _, kind := range Kinds() {
		name := kind.GroupVersion().String() + " " + kind.Kind
		if _, twice := kinds[name]; twice {
			t.Errorf("%s is there twice", name)
		}
		kinds[name] = kind
	}
	job := kinds["batch/v1 Job"]
	if want := []Field{{Name: "status.successful", Path: []string{"status", "succeeded"}, Default: "0"}}; !reflect.DeepEqual(job.Fields, want) {
		t.Errorf("fields of jobs: %v, want %v", job.Fields, want)
	}
	deployment := kinds["apps/v1 Deployment"]
	if want := [][]string{{"spec"}, {"metadata", "annotations"}}; !reflect.DeepEqual(deployment.Counted, want) || !deployment.Scale {
		t.Errorf("deployments: %+v, want counted %v and a scale", deployment, want)
	}
	if node := kinds["v1 Node"]; !node.KeepStatus || node.Namespaced || node.Resource != "nodes" {
		t.Errorf("nodes: %+v", node)
	}
	if _, both := kinds["resource.k8s.io/v1beta1 DeviceClass"]; !both {
		t.Error("DeviceClass has no version v1beta1")
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"group apps\nDeployment deployments\n":       "kinds.txt:2",
		"group\nPod pods v1 namespace\n":             `unknown property "namespace"`,
		"# nothing\n\ngroup\nPod pods v1 status=x y": `unknown property "y"`,
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q) = %v, want an error with %s", text, err, want)
		}
	}
}
