package migrate

import (
	"path/filepath"
	"strings"
)

// The values of --informers.
const (
	clientGo = "client-go"
	typed    = "typed"
)

// run is a command of informer-gen in place of calls.
type run struct {
	module *module
	output string
	// informers is the value of --informers.
	informers string
	// dir is the working folder, and args the arguments in it.
	dir   string
	args  []string
	calls []*call
	// reasons has a line for each flag that needs one.
	reasons []string
}

// folders are those that a run writes to.
func (r *run) folders() []string {
	applyName := "applyconfiguration"
	for _, arg := range r.args {
		if name, ok := strings.CutPrefix(arg, "--applyconfig-name="); ok {
			applyName = name
		}
	}
	var dirs []string
	for _, name := range []string{"clientset", "listers", "informers", applyName} {
		dirs = append(dirs, filepath.Join(r.output, name))
	}
	return dirs
}
