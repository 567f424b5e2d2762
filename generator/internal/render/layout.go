package render

import (
	"path"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// layout says where the emitted packages are, below the output folder and below
// the output package alike. It is that of code-generator's kube_codegen.sh.
type layout struct {
	// root is the import path of the output folder.
	root string
	// clientsetName is the folder and package name of the clientset.
	clientsetName string
}

const informers = "informers/externalversions"

func (l layout) clientset() string { return path.Join("clientset", l.clientsetName) }

func (l layout) fakeClientset() string { return path.Join(l.clientset(), "fake") }

func (l layout) scheme() string { return path.Join(l.clientset(), "scheme") }

func (l layout) typed(gv *model.GroupVersion) string {
	return path.Join(l.clientset(), "typed", gv.Group.Dir, gv.Dir)
}

func (l layout) fake(gv *model.GroupVersion) string { return path.Join(l.typed(gv), "fake") }

func (l layout) listers(gv *model.GroupVersion) string {
	return path.Join("listers", gv.Group.Dir, gv.Dir)
}

func (l layout) internal() string { return path.Join(informers, model.SharedInformerDir) }

func (l layout) informerGroup(g *model.Group) string { return path.Join(informers, g.Dir) }

func (l layout) informers(gv *model.GroupVersion) string {
	return path.Join(informers, gv.Group.Dir, gv.Dir)
}
