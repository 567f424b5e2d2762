package testserver_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
)

// TestVersion parses the version of the server, as programs do that need a minimum.
func TestVersion(t *testing.T) {
	t.Parallel()
	info, err := newClient(t, shared.Config()).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := version.ParseSemantic(info.GitVersion)
	if err != nil || parsed.Major() != 1 || parsed.Minor() < 37 {
		t.Errorf("the server has the version %s: %v, want 1.37 or later", info.GitVersion, err)
	}
}
