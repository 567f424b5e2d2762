package migrate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/rewrite"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// plan is what a migration does. decide makes it without changing a file.
type plan struct {
	runs    []*run
	edits   []edit
	deletes []string
	goMods  []goMod
	left    []Note
	// problems are the errors of the compiler before the migration.
	problems []rewrite.Note
	// already is set if the project has what the plan would add.
	already bool
}

// decide returns the plan of a project.
func decide(ctx context.Context, p *findings, o Options) (*plan, error) {
	plan := &plan{left: slices.Concat(p.unread, p.notes)}
	for _, c := range p.calls {
		plan.addCall(c)
	}
	if err := plan.addKubebuilder(p); err != nil {
		return nil, err
	}
	for _, r := range plan.runs {
		if err := plan.decideRun(p, r, o); err != nil {
			return nil, err
		}
		plan.left = append(plan.left, p.laterRemovals(r)...)
	}
	plan.left = append(plan.left, p.strays(plan.runs)...)
	if len(plan.runs) == 0 {
		return plan, nil
	}
	plan.toolImports(p)
	for _, m := range p.mentions {
		if m.line == 0 {
			plan.left = append(plan.left, p.note(m.position, "it is %s; delete it when nothing uses it any more", m.text))
		} else if filepath.Ext(m.file) != ".go" {
			plan.left = append(plan.left, p.note(m.position, "it names a replaced generator; remove it if nothing else needs it: %s", m.text))
		}
	}
	for _, m := range p.modules {
		isMigrated := slices.ContainsFunc(plan.runs, func(r *run) bool { return r.module == m })
		if !isMigrated && !m.replacesOne(plan.modules()) {
			continue
		}
		usesAdapter, err := plan.rewrite(ctx, p, m)
		if err != nil {
			return nil, err
		}
		part := ""
		if usesAdapter {
			part = "/adapters/clientgo"
		}
		change, err := decideGoMod(p.project, m, part, isMigrated, isMigrated, o)
		if err != nil {
			return nil, err
		}
		plan.goMods = append(plan.goMods, change)
	}
	for _, r := range plan.runs {
		if err := plan.keepNames(ctx, r, o); err != nil {
			return nil, err
		}
		for n, c := range r.calls {
			plan.edits = append(plan.edits, editOf(p, r, c, n == 0))
		}
	}
	slices.SortStableFunc(plan.left, func(a, b Note) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return plan, nil
}

// rewrite adds the edits of code that uses typed informers, and reports whether the module needs the adapters for client-go.
func (plan *plan) rewrite(ctx context.Context, p *findings, m *module) (usesAdapter bool, err error) {
	var generated []string
	for _, r := range plan.runs {
		if r.informers == clientGo {
			usesAdapter = usesAdapter || r.module == m
			continue
		}
		for _, dir := range r.folders() {
			generated = append(generated, path.Join(r.module.path(), relative(r.module.dir, dir)))
		}
	}
	if len(generated) == 0 || len(plan.deletes) == 0 {
		return usesAdapter, nil
	}
	result, err := rewrite.Module(ctx, m.dir, generated)
	if err != nil {
		return false, err
	}
	plan.problems = append(plan.problems, result.Problems...)
	for _, e := range result.Edits {
		plan.edits = append(plan.edits, edit{position{e.File, e.Line}, e.Start, e.End, e.Text, e.What})
	}
	for _, note := range result.Notes {
		plan.left = append(plan.left, p.note(position{note.File, note.Line}, "%s", note.Text))
	}
	return usesAdapter || result.UsesAdapter, nil
}

// modules returns the modules with a run.
func (plan *plan) modules() (dirs []string) {
	for _, r := range plan.runs {
		dirs = append(dirs, r.module.dir)
	}
	return dirs
}

// addCall adds a call to the run with its output folder.
func (plan *plan) addCall(c *call) {
	n := slices.IndexFunc(plan.runs, func(r *run) bool { return r.output == c.output })
	if n < 0 {
		n = len(plan.runs)
		plan.runs = append(plan.runs, &run{module: c.module, output: c.output})
	}
	plan.runs[n].calls = append(plan.runs[n].calls, c)
}

// addKubebuilder adds a run of informer-gen after a call of controller-gen, in a module without other generators and their output.
func (plan *plan) addKubebuilder(p *findings) error {
	for _, c := range p.kubebuilder {
		if c.module == nil || len(p.unread) > 0 || p.runsOurs(c.module) || p.hasGenerated(c.module) || slices.ContainsFunc(plan.runs, func(r *run) bool { return r.module == c.module }) {
			continue
		}
		folders, err := kindFolders(c.module.dir)
		if err != nil {
			return err
		}
		if len(folders) == 0 {
			continue
		}
		c.packages, c.output = folders, filepath.Join(c.module.dir, "pkg", "generated")
		if crds := filepath.Join(c.module.dir, "config", "crd", "bases"); exists(crds) {
			c.flags["crd"] = crds
		}
		c.stays = p.textOf(c.file)[c.start:c.end]
		c.kinds = c.stays
		plan.addCall(c)
	}
	return nil
}

// decideRun decides the command of a run.
func (plan *plan) decideRun(p *findings, r *run, o Options) error {
	// The command is written at the place of the call that makes the clientset, or else of the first one.
	slices.SortStableFunc(r.calls, func(a, b *call) int { return cmp.Compare(rank(a), rank(b)) })
	first := r.calls[0]
	r.dir = r.module.dir
	if first.form == goGenerate {
		r.dir = first.dir
	}
	flags, packages, err := merge(p, r.calls)
	if err != nil {
		return err
	}
	r.informers = o.Informers
	if r.informers == "" && first.generator == "controller-gen" {
		r.informers = typed
	}
	r.informers = cmp.Or(r.informers, clientGo)
	if r.informers != typed {
		r.args = append(r.args, "--informers="+r.informers)
	}
	r.args = append(r.args, "--output-dir="+relative(r.dir, r.output))
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		value := flags[flag]
		if filepath.IsAbs(value) {
			value = relative(r.dir, value)
		}
		if value == "true" {
			r.args = append(r.args, "--"+flag)
		} else {
			r.args = append(r.args, "--"+flag+"="+value)
		}
	}
	if first.generator != "controller-gen" && onlyGenclient(packages) {
		r.args = append(r.args, "--from=genclient")
		r.reasons = append(r.reasons, "--from=genclient, because packages without +genclient have markers of kubebuilder, which the replaced generators ignore")
	}
	for _, c := range r.calls {
		for _, flag := range slices.Sorted(maps.Keys(c.from)) {
			if from := c.from[flag]; from != "" && from != "--"+flag {
				r.reasons = append(r.reasons, fmt.Sprintf("--%s, for %s of %s", flag, from, c.generator))
			}
		}
		if c.missingHeader != "" {
			plan.left = append(plan.left, p.note(c.position, "there is no file %s, so generated files have no header; add the file and --go-header-file", p.relative(c.missingHeader)))
		}
		plan.leaveCopies(p, c)
	}
	if !slices.ContainsFunc(r.calls, func(c *call) bool { return !c.clientOnly }) {
		r.reasons = append(r.reasons, "listers and informers are new, because the replaced call generated only clients")
	}
	for _, pkg := range packages {
		r.args = append(r.args, pattern(r.dir, pkg))
	}
	deleted, err := generatedFiles(r.output, flags["applyconfig-name"])
	plan.deletes = append(plan.deletes, deleted...)
	return err
}

// keepNames adds the flags that keep the folders of groups and their names in Go.
func (plan *plan) keepNames(ctx context.Context, r *run, o Options) error {
	if o.Tool == "" {
		return nil
	}
	n := slices.IndexFunc(plan.goMods, func(change goMod) bool { return change.module == r.module })
	flags, err := keptNames(ctx, r, plan.goMods[n], o.Tool)
	at := slices.IndexFunc(r.args, func(arg string) bool { return !strings.HasPrefix(arg, "--") })
	r.args = slices.Insert(r.args, at, flags...)
	return err
}

// rank orders calls by what they generate.
func rank(c *call) int {
	if slices.Contains([]string{"lister-gen", "informer-gen", "applyconfiguration-gen"}, c.generator) {
		return 1
	}
	return 0
}

// merge returns the flags and the packages of several calls.
func merge(p *findings, calls []*call) (flags map[string]string, packages []string, err error) {
	flags = map[string]string{}
	clients := slices.ContainsFunc(calls, func(c *call) bool { return rank(c) == 0 })
	for _, c := range calls {
		for flag, value := range c.flags {
			if flag == "versioned-clientset-package" && clients {
				continue
			}
			if old, ok := flags[flag]; ok && old != value {
				if flag != "plural-exceptions" && flag != "applyconfig-externals" {
					return nil, nil, fmt.Errorf("%s:%d: the calls for %s have --%s=%s and --%[4]s=%[6]s; use one value",
						p.relative(c.file), c.line, p.relative(c.output), flag, old, value)
				}
				value = old + "," + value
			}
			flags[flag] = value
		}
		for _, pkg := range c.packages {
			if !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	return flags, packages, nil
}

// onlyGenclient reports whether a folder of packages has a package with kinds of kubebuilder and without +genclient.
func onlyGenclient(patterns []string) bool {
	found := false
	for _, pattern := range patterns {
		dir, ok := strings.CutSuffix(pattern, "/...")
		if !ok {
			continue
		}
		withClients, err := clientPackages(dir)
		_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, walkErr error) error {
			if walkErr == nil && !entry.IsDir() && filepath.Ext(path) == ".go" && err == nil && !slices.Contains(withClients, filepath.Dir(path)) {
				if text, err := os.ReadFile(path); err == nil && kubebuilderAll.Match(text) {
					found = true
				}
			}
			return nil
		})
	}
	return found
}

// pattern returns a pattern as an argument in a folder.
func pattern(dir, pkg string) string {
	if !filepath.IsAbs(pkg) {
		return pkg
	}
	if way := relative(dir, pkg); !strings.HasPrefix(way, "..") {
		return "./" + way
	}
	return relative(dir, pkg)
}

// leaveCopies notes that a script has lines for a temporary output folder.
func (plan *plan) leaveCopies(p *findings, c *call) {
	var names []string
	for _, name := range c.temporary {
		names = append(names, regexp.QuoteMeta(name))
	}
	uses := regexp.MustCompile(`\$\{?(` + strings.Join(names, "|") + `)\b`)
	text, line := p.textOf(c.file), 0
	last := c.line + strings.Count(text[c.start:c.end], "\n")
	var lines []string
	for content := range strings.Lines(text) {
		if line++; len(names) > 0 && (line < c.line || line > last) && uses.MatchString(content) {
			lines = append(lines, strconv.Itoa(line))
		}
	}
	if len(lines) > 0 {
		plan.left = append(plan.left, p.note(c.position, "informer-gen does not use the temporary folder of lines %s; remove what is for it", strings.Join(lines, ", ")))
	}
}

// editOf returns the edit of a call: the command for the first call of a run, and nothing for the others.
func editOf(p *findings, r *run, c *call, isFirst bool) edit {
	text := p.textOf(c.file)
	e := edit{position: c.position, start: c.start, end: c.end}
	if isFirst {
		e.text = command(r, c)
	}
	if c.stays != "" {
		e.text = strings.Replace(text[c.start:c.end], c.kinds, c.stays, 1)
		if isFirst {
			e.text += "\n" + indentation(text, c.start) + command(r, c)
		}
	}
	if e.text != "" {
		return e
	}
	lineStart, lineEnd := strings.LastIndexByte(text[:c.start], '\n')+1, c.end+strings.IndexByte(text[c.end:]+"\n", '\n')
	isAlone := strings.Trim(text[lineStart:c.start], " \t@-+") == "" && strings.TrimSpace(text[c.end:lineEnd]) == ""
	if isAlone && (c.form != script || c.start == lineStart) {
		e.start, e.end = lineStart, min(lineEnd+1, len(text))
	} else {
		e.text = ":" // an empty branch is no script
	}
	return e
}

func indentation(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// command returns the line of a run as it is written in place of a call.
func command(r *run, c *call) string {
	line := "go tool informer-gen " + terminal.Quote(r.args...)
	switch {
	case c.form == goGenerate:
		return "//go:generate " + line
	case c.root != "":
		return "(cd " + c.root + " && " + line + ")"
	case c.dir == r.dir:
		return line
	case c.form == makefile:
		return "cd " + terminal.Quote(relative(c.dir, r.dir)) + " && " + line
	}
	return `(cd "$(dirname "${BASH_SOURCE[0]}")/` + relative(filepath.Dir(c.file), r.dir) + `" && ` + line + ")"
}

// generatedFiles returns the files of the replaced generators in an output folder.
func generatedFiles(output, applyName string) (found []string, err error) {
	for _, folder := range []string{"clientset", "listers", "informers", cmp.Or(applyName, "applyconfiguration")} {
		err := filepath.WalkDir(filepath.Join(output, folder), func(path string, entry os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			if generatedHeader.Match(text) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

var toolImport = regexp.MustCompile(`(?m)^[ \t]*_ "k8s\.io/code-generator/cmd/(client|lister|informer|applyconfiguration)-gen"[^\n]*\n`)

// toolImports removes the imports of the replaced generators in files of tools, unless something still names a generator.
func (plan *plan) toolImports(p *findings) {
	stays := len(p.unread) > 0 || slices.ContainsFunc(p.mentions, func(m mention) bool { return filepath.Ext(m.file) != ".go" })
	for _, s := range p.files {
		if filepath.Ext(s.path) != ".go" || generatedHeader.MatchString(s.text) {
			continue
		}
		for _, match := range toolImport.FindAllStringIndex(s.text, -1) {
			at := position{s.path, 1 + strings.Count(s.text[:match[0]], "\n")}
			if stays {
				plan.left = append(plan.left, p.note(at, "remove this import when no script names the generator any more"))
				continue
			}
			plan.edits = append(plan.edits, edit{position: at, start: match[0], end: match[1], what: "delete the import"})
		}
	}
}
