package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/shell"
)

// call is a call of a generator that informer-gen replaces.
type call struct {
	position
	// start and end are the offsets of the call in its file.
	start, end int
	generator  string
	form       form
	// module has the folder output, which is that of clientset, listers and informers.
	module *module
	output string
	// packages are patterns: absolute folders, which may end with /..., or import paths.
	packages []string
	// flags are flags of informer-gen, and from has the flag of the generator for each of them.
	flags, from map[string]string
	// stays is what the call still generates afterwards, in place of the word kinds; empty if nothing.
	stays, kinds string
	// root is a word that is the folder of the module in the script; empty if there is none. dir is the working folder.
	root, dir string
	// temporary are the variables with a temporary folder that the call wrote to.
	temporary []string
	// missingHeader is the file with the header of generated files, if it does not exist.
	missingHeader string
	// clientOnly is set for a call that generates no listers and informers.
	clientOnly bool
}

// form is the form of a file with calls.
type form int

const (
	script form = iota
	makefile
	goGenerate
)

// reader reads the calls of a file.
type reader struct {
	project *project
	scope   *shell.Scope
	form    form
	path    string
}

var (
	generators  = []string{"client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen"}
	groupScript = regexp.MustCompile(`^generate-(internal-)?groups\.sh$`)
)

// programOf returns the position of the word that names a generator, and the name; -1 if the command calls none.
func programOf(words []string) (at int, name string) {
	for n, word := range words {
		base, _, _ := strings.Cut(path.Base(strings.TrimLeft(word, "@-+")), "@")
		if variable, rest, ok := shell.CutUnknown(word); ok && rest == "" { // such as "$clientgen" and $(CLIENT_GEN)
			for _, generator := range generators {
				if plainName(variable) == plainName(generator) {
					return n, generator
				}
			}
		}
		switch {
		case base == "kube::codegen::gen_client" || groupScript.MatchString(base) || slices.Contains(generators, base):
			return n, base
		case strings.Contains(word, "=") && n == 0, slices.Contains([]string{"bash", "sh", "go", "run", "tool", "exec", "env", "command"}, base), strings.HasPrefix(word, "-"),
			base == "$(GO)" || strings.HasPrefix(shell.Unknown(word), "GO"):
		default:
			return -1, ""
		}
	}
	return -1, ""
}

// plainName returns a name in the form that variables for programs share.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// read returns the call of a command; nil if it calls no generator that informer-gen replaces.
func (r *reader) read(command shell.Command) (*call, error) {
	words := r.scope.Words(command)
	at, name := programOf(words)
	if at < 0 {
		return nil, nil
	}
	a, err := readArguments(words[at+1:])
	if err != nil {
		return nil, err
	}
	c := &call{
		position: position{r.path, command.Line}, start: command.Start, end: command.End, generator: name, form: r.form,
		flags: map[string]string{}, from: map[string]string{}, dir: r.scope.Dir,
	}
	if a.take("verify-only") != "" {
		return nil, errors.New("--verify-only has another name: run informer-gen with --verify in its place")
	}
	switch {
	case name == "kube::codegen::gen_client":
		err = r.genClient(c, a)
	case groupScript.MatchString(name):
		if err = r.generateGroups(c, a, command, at); err == nil && len(c.packages) == 0 {
			return nil, nil
		}
	default:
		err = r.generator(c, a)
	}
	if err != nil {
		return nil, err
	}
	if err := r.sharedFlags(c, a); err != nil {
		return nil, err
	}
	c.module = r.project.moduleOfFile(c.output)
	c.root = r.rootWord(command, c.module)
	return c, nil
}

// genClient reads the arguments of kube::codegen::gen_client.
func (r *reader) genClient(c *call, a arguments) error {
	oldRoot, oldInput := a.flags["output-pkg-root"], a.flags["input-pkg-root"] // before v0.29
	c.clientOnly = a.flags["with-watch"] == ""
	for flag, only := range map[string]string{"clientset-name": "clientset", "listers-name": "listers", "informers-name": "informers"} {
		if value := a.take(flag); value != "" && value != only {
			return fmt.Errorf("informer-gen has no --%s=%s: the folder is %s", flag, value, only)
		}
	}
	if err := r.outputOf(c, oldRoot+a.flags["output-pkg"], a.flags["output-dir"], ""); err != nil {
		return err
	}
	c.set("clientset-name", a.take("versioned-name"), "--versioned-name")
	if a.take("with-applyconfig") != "" {
		c.set("with-applyconfig", "true", "")
	}
	inputs := a.values
	if oldInput != "" {
		inputs = []string{oldInput}
	}
	if len(inputs) != 1 {
		return fmt.Errorf("%d input folders are named, and not one", len(inputs))
	}
	input := inputs[0]
	if one := a.take("one-input-api"); one != "" {
		input += "/" + one
	}
	return r.folder(c, input)
}

// folder adds the packages with +genclient in a folder, as gen_client finds them.
func (r *reader) folder(c *call, input string) error {
	dir, err := r.pathOf(input)
	if err != nil {
		return err
	}
	if imported, ok := r.project.folderOf(input); ok && !exists(dir) {
		dir = imported
	}
	if !exists(dir) {
		return fmt.Errorf("there is no folder %s", r.project.relative(dir))
	}
	packages, err := clientPackages(dir)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return fmt.Errorf("no package in %s has +genclient", r.project.relative(dir))
	}
	versions := slices.DeleteFunc(slices.Clone(packages), func(dir string) bool { return !versionFolder.MatchString(filepath.Base(dir)) })
	if len(versions) == len(packages) {
		versions = []string{dir + "/..."}
	}
	c.packages = versions
	return nil
}

var (
	versionFolder  = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)
	genclient      = regexp.MustCompile(`(?m)^\s*//\s*\+genclient`)
	kubebuilderAll = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:object:root=true`)
)

// clientPackages returns the folders with +genclient in a Go file.
func clientPackages(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || slices.Contains(found, filepath.Dir(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if genclient.Match(text) {
			found = append(found, filepath.Dir(path))
		}
		return err
	})
	return found, err
}

// generateGroups reads the arguments of generate-groups.sh: generators, output package, package of the APIs, groups with versions.
func (r *reader) generateGroups(c *call, a arguments, command shell.Command, at int) error {
	if len(a.values) < 4 {
		return fmt.Errorf("it has %d arguments, and not 4", len(a.values))
	}
	kinds := list(a.values[0])
	if slices.Contains(kinds, "all") {
		kinds = []string{"deepcopy", "client", "lister", "informer"}
	}
	var stay []string
	for _, kind := range kinds {
		switch kind {
		case "client", "lister", "informer":
		case "applyconfiguration":
			c.set("with-applyconfig", "true", "")
		default:
			stay = append(stay, kind)
		}
	}
	if len(stay) == len(kinds) {
		return nil
	}
	if len(stay) > 0 {
		text := command.Words
		n := slices.IndexFunc(text[at+1:], func(word string) bool { return !strings.HasPrefix(word, "-") }) + at + 1
		if got := (&shell.Scope{}).Words(shell.Command{Words: text[n : n+1]}); len(got) != 1 || got[0] != a.values[0] {
			return fmt.Errorf("the generators %s are not written in the call", a.values[0])
		}
		c.stays, c.kinds = `"`+strings.Join(stay, ",")+`"`, text[n]
	}
	if err := r.outputOf(c, a.values[1], "", ""); err != nil {
		return err
	}
	for _, group := range strings.Fields(strings.Join(a.values[3:], " ")) {
		name, versions, ok := strings.Cut(group, ":")
		if !ok || shell.Unknown(group) != "" {
			return fmt.Errorf("the group %s has no versions", group)
		}
		for _, version := range list(versions) {
			if err := r.addPackage(c, path.Join(a.values[2], name, version)); err != nil {
				return err
			}
		}
	}
	return nil
}

// generator reads the arguments of a generator itself.
func (r *reader) generator(c *call, a arguments) error {
	folder := map[string]string{"client-gen": "clientset", "lister-gen": "listers", "informer-gen": "informers"}[c.generator]
	pkg := a.flags["output-pkg"] + a.flags["output-package"]
	if c.generator == "applyconfiguration-gen" {
		folder = path.Base(cmp.Or(pkg, a.flags["output-dir"]))
		c.set("with-applyconfig", "true", "")
		if folder != "applyconfiguration" {
			c.set("applyconfig-name", folder, "--output-pkg")
		}
	}
	if err := r.outputOf(c, pkg, a.flags["output-dir"], folder); err != nil {
		return err
	}
	inputs := slices.Concat(a.values, list(a.flags["input-dirs"]))
	if c.generator == "client-gen" {
		c.clientOnly = true
		c.set("clientset-name", a.take("clientset-name"), "--clientset-name")
		for _, input := range list(a.flags["input"]) {
			inputs = append(inputs, path.Join(a.flags["input-base"], input))
		}
		if value := a.take("apply-configuration-package"); value != "" {
			if dir, ok := r.project.folderOf(value); ok && filepath.Dir(dir) == c.output {
				c.set("with-applyconfig", "true", "")
			} else {
				c.set("apply-configuration-package", value, "--apply-configuration-package")
			}
		}
	}
	if value := a.take("versioned-clientset-package"); c.generator == "informer-gen" && value != "" {
		if dir, ok := r.project.folderOf(value); !ok || filepath.Dir(dir) != filepath.Join(c.output, "clientset") {
			c.set("versioned-clientset-package", value, "--versioned-clientset-package")
		}
	}
	for _, input := range inputs {
		if err := r.addPackage(c, input); err != nil {
			return err
		}
	}
	if len(c.packages) == 0 {
		return errors.New("it names no package")
	}
	return nil
}

// addPackage adds a package by its import path or folder.
func (r *reader) addPackage(c *call, pkg string) error {
	if name := shell.Unknown(pkg); name != "" {
		return fmt.Errorf("the value of %s is unknown", name)
	}
	if dir, ok := r.project.folderOf(pkg); ok {
		pkg = dir
	} else if strings.HasPrefix(pkg, ".") || filepath.IsAbs(pkg) {
		pkg = r.scope.Path(strings.TrimSuffix(pkg, "/..."))
	}
	if filepath.IsAbs(pkg) && !exists(pkg) {
		return fmt.Errorf("there is no folder %s", r.project.relative(pkg))
	}
	c.packages = append(c.packages, pkg)
	return nil
}

// outputOf sets the output folder from an import path or else a folder, which ends with a folder of one generator.
func (r *reader) outputOf(c *call, pkg, dir, folder string) error {
	if name, _, ok := shell.CutUnknown(dir); ok {
		if _, err := r.pathOf(dir); err != nil {
			c.temporary = append(r.scope.VariablesOf(name), name)
		}
	}
	output, ok := "", false
	if pkg != "" && shell.Unknown(pkg) == "" {
		if output, ok = r.project.folderOf(strings.TrimSuffix(pkg, "/")); !ok {
			return fmt.Errorf("the output package %s is in no module of the project", pkg)
		}
	} else {
		var err error
		if output, err = r.pathOf(dir); err != nil || dir == "" {
			return fmt.Errorf("the output folder is unknown: %w", cmp.Or(err, errors.New("no --output-pkg and no --output-dir")))
		}
	}
	if folder != "" {
		if filepath.Base(output) != folder {
			return fmt.Errorf("the output folder %s is not called %s, which is what informer-gen writes", r.project.relative(output), folder)
		}
		output = filepath.Dir(output)
	}
	if !isBelow(r.project.dir, output) {
		return fmt.Errorf("the output folder %s is not in the project", output)
	}
	c.output = output
	return nil
}

// sharedFlags reads the flags that generators have in common.
func (r *reader) sharedFlags(c *call, a arguments) error {
	if header := a.take("boilerplate", "go-header-file"); header != "" {
		file, err := r.pathOf(header)
		if err != nil {
			return err
		}
		switch {
		case !exists(file):
			c.missingHeader = file
		case !r.isEmpty(file):
			c.set("go-header-file", file, "")
		}
	}
	for from, to := range map[string]string{
		"plural-exceptions": "plural-exceptions", "applyconfig-name": "applyconfig-name", "applyconfig-externals": "applyconfig-externals",
		"external-applyconfigurations": "applyconfig-externals", "prefers-protobuf": "prefers-protobuf",
	} {
		if value := a.take(from); value != "" && value != "false" {
			if name := shell.Unknown(value); name != "" {
				return fmt.Errorf("the value of %s is unknown", name)
			}
			c.set(to, value, "--"+from)
		}
	}
	if value := a.take("applyconfig-openapi-schema", "openapi-schema"); value != "" && !strings.HasPrefix(value, "<(") {
		file, err := r.pathOf(value)
		if err != nil || !exists(file) {
			return fmt.Errorf("there is no file of the OpenAPI schema %s; informer-gen needs none, so remove the flag", strings.ReplaceAll(value, "\x00", ""))
		}
		c.set("applyconfig-openapi-schema", file, "")
	}
	if value := a.take("fake-clientset"); value == "false" {
		return errors.New("informer-gen always writes a fake clientset; remove --fake-clientset=false")
	}
	for _, flag := range needless {
		delete(a.flags, flag)
	}
	for _, flag := range slices.Sorted(maps.Keys(a.flags)) {
		return fmt.Errorf("informer-gen has no flag for --%s", flag)
	}
	return nil
}

func (r *reader) isEmpty(file string) bool {
	text, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(text)) == ""
}

// pathOf returns a path of the script as an absolute one. A path that begins with an unknown variable is below the root folder of a
// module if it exists there.
func (r *reader) pathOf(word string) (string, error) {
	name, rest, isUnknown := shell.CutUnknown(word)
	if !isUnknown {
		if name := shell.Unknown(word); name != "" {
			return "", fmt.Errorf("the value of %s is unknown", name)
		}
		found := r.scope.Path(word)
		if beside := filepath.Join(filepath.Dir(r.path), word); !exists(found) && exists(beside) && !filepath.IsAbs(word) {
			found = beside
		}
		return found, nil
	}
	for _, dir := range r.roots() {
		first, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/") // the rest may be new
		if first != "" && shell.Unknown(rest) == "" && exists(filepath.Join(dir, first)) {
			return filepath.Join(dir, rest), nil
		}
	}
	return "", fmt.Errorf("the value of %s is unknown", name)
}

// roots returns the folders that a script may call its root: that of its module, and of the repository.
func (r *reader) roots() []string {
	roots := []string{r.project.repository}
	if m := r.project.moduleOfFile(r.path); m != nil {
		roots = slices.Insert(roots, 0, m.dir)
	}
	return roots
}

var variableWord = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z_0-9]*)\}?/`)

// rootWord returns a variable of the call that has the root folder of a module.
func (r *reader) rootWord(command shell.Command, m *module) string {
	if r.form != script || m == nil {
		return ""
	}
	for _, word := range command.Words {
		match := variableWord.FindStringSubmatch(word)
		if match == nil {
			continue
		}
		value := strings.Join(r.scope.Words(shell.Command{Words: []string{`"${` + match[1] + `}"`}}), "")
		_, _, isUnknown := shell.CutUnknown(value)
		if found, err := r.pathOf(value + "/go.mod"); err == nil && filepath.Dir(found) == m.dir && (isUnknown || value != "") {
			return `"${` + match[1] + `}"`
		}
	}
	return ""
}

// set sets a flag of informer-gen.
func (c *call) set(flag, value, from string) {
	if value != "" {
		c.flags[flag] = value
		c.from[flag] = from
	}
}
