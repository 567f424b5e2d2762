package testserver

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
)

// namedVersion names the version of Kubernetes at /version. Its libraries know only the major and the minor one: the version of git is
// a placeholder that a build of kube-apiserver replaces, and programs that check it refuse the server.
type namedVersion struct{ compatibility.EffectiveVersion }

func (v namedVersion) Info() *version.Info {
	info := *v.EffectiveVersion.Info()
	if strings.Contains(info.GitVersion, "$Format") {
		info.GitVersion = fmt.Sprintf("v%s.%s.0", info.Major, info.Minor)
	}
	return &info
}
