package render

import (
	"cmp"
	"path"
	"regexp"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Folders of the output folder. Each holds the output of one run only.
const (
	clientsetRoot = "clientset"
	listerRoot    = "listers"
	informerRoot  = "informers"
)

// ApplyRoot is the folder of the apply configurations, unless the user names another one.
const ApplyRoot = "applyconfiguration"

// Roots returns the folders below the output folder that hold all emitted files. Other folders
// next to them are the user's. applyName is the folder of the apply configurations, or "".
func Roots(applyName string) []string {
	return []string{clientsetRoot, listerRoot, informerRoot, cmp.Or(applyName, ApplyRoot)}
}

// informers is the package of the factory, above those of the groups.
const informers = informerRoot + "/externalversions"

// FactoryFile is the file of the factory in the output folder. Each run with an informer emits it.
const FactoryFile = informers + "/factory.go"

// internalDir is next to the folders of the groups, and holds the code that informers share.
const internalDir = "internalinterfaces"

// layout returns the folders of the emitted packages. Each is relative to the output folder, and
// to the output package as well. The layout is that of code-generator's kube_codegen.sh.
type layout struct {
	// root is the import path of the output folder.
	root string
	// clientsetName is the folder and package name of the clientset.
	clientsetName string
}

func (l layout) clientset() string { return path.Join(clientsetRoot, l.clientsetName) }

func (l layout) fakeClientset() string { return path.Join(l.clientset(), "fake") }

func (l layout) scheme() string { return path.Join(l.clientset(), "scheme") }

func (l layout) typed(gv *model.GroupVersion) string {
	return path.Join(l.clientset(), "typed", VersionDir(gv))
}

// TypedDir returns the folder of the typed clients of a group version, relative to the output folder.
func TypedDir(clientsetName string, gv *model.GroupVersion) string {
	return layout{clientsetName: clientsetName}.typed(gv)
}

func (l layout) fake(gv *model.GroupVersion) string { return path.Join(l.typed(gv), "fake") }

func (l layout) listers(gv *model.GroupVersion) string { return path.Join(listerRoot, VersionDir(gv)) }

func (l layout) internal() string { return path.Join(informers, internalDir) }

func (l layout) informerGroup(g *model.Group) string { return path.Join(informers, g.Dir) }

func (l layout) informers(gv *model.GroupVersion) string { return path.Join(informers, VersionDir(gv)) }

// VersionDir returns the folders of a group version, such as shop/v1.
func VersionDir(gv *model.GroupVersion) string { return path.Join(gv.Group.Dir, gv.Dir) }

var versionDirPattern = regexp.MustCompile(`^(?:` + clientsetRoot + `/[^/]+/typed|` + listerRoot + `|` + informers + `)/([^/]+/[^/]+)/`)

// VersionDirOf returns the VersionDir of the file at filePath, which an earlier run may have
// written. It returns "" if the file is not about one group version.
func VersionDirOf(filePath string) string {
	if match := versionDirPattern.FindStringSubmatch(filePath); match != nil {
		return match[1]
	}
	return ""
}
