package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/rewrite"
)

// apply does what the plan says, and returns the changed tree. After an error the tree is as it was.
func (plan *plan) apply(ctx context.Context, p *findings, o Options) (*tree, error) {
	t := newTree()
	for _, step := range []func(context.Context, *tree, *findings, Options) error{
		plan.writeGoMods, plan.writeFiles, plan.generate, plan.tidy, plan.build,
	} {
		if err := step(ctx, t, p, o); err != nil {
			return nil, errors.Join(err, t.restore())
		}
	}
	return t, t.finish()
}

// writeGoMods writes each go.mod, and lets the go command complete it.
func (plan *plan) writeGoMods(ctx context.Context, t *tree, _ *findings, o Options) error {
	for _, change := range plan.goMods {
		if err := t.keep(filepath.Join(change.module.dir, "go.sum")); err != nil {
			return err
		}
		if err := t.write(filepath.Join(change.module.dir, "go.mod"), change.text); err != nil {
			return err
		}
	}
	for _, change := range plan.goMods {
		if len(change.get) > 0 {
			err := o.run(ctx, change.module.dir, "go", append([]string{"get"}, change.get...)...)
			if err != nil && change.isLatest {
				err = fmt.Errorf("%w\nUntil informer-gen has a release, name a clone of it by --clone", err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFiles edits scripts, and deletes the output of the replaced generators.
func (plan *plan) writeFiles(_ context.Context, t *tree, _ *findings, _ Options) error {
	for file, edits := range byFile(plan.edits) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text = edited(text, edits)
		if filepath.Ext(file) == ".go" {
			if text, err = format.Source(text); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		if err := t.write(file, text); err != nil {
			return err
		}
	}
	for _, r := range plan.runs {
		for _, folder := range r.folders() {
			if err := t.watch(folder); err != nil {
				return err
			}
		}
	}
	for _, file := range plan.deletes {
		if err := t.remove(file); err != nil {
			return err
		}
	}
	return nil
}

// generate runs informer-gen as the edited scripts do.
func (plan *plan) generate(ctx context.Context, _ *tree, _ *findings, o Options) error {
	for _, r := range plan.runs {
		if err := o.run(ctx, r.dir, o.Tool, r.args...); err != nil {
			return err
		}
	}
	return nil
}

// tidy completes the requirements, and the folder vendor if there is one.
func (plan *plan) tidy(ctx context.Context, t *tree, _ *findings, o Options) error {
	for _, change := range plan.goMods {
		if err := o.run(ctx, change.module.dir, "go", "mod", "tidy"); err != nil {
			return err
		}
		if vendor := filepath.Join(change.module.dir, "vendor"); exists(filepath.Join(vendor, "modules.txt")) {
			if err := t.move(vendor); err != nil {
				return err
			}
			if err := o.run(ctx, change.module.dir, "go", "mod", "vendor"); err != nil {
				return err
			}
		}
	}
	return nil
}

// build compiles the changed modules. What does not compile with typed informers is left to do.
func (plan *plan) build(ctx context.Context, _ *tree, p *findings, o Options) error {
	isTyped := len(plan.deletes) > 0 && slices.ContainsFunc(plan.runs, func(r *run) bool { return r.informers == typed })
	for _, change := range plan.goMods {
		if !isTyped {
			if err := o.build(ctx, change.module.dir); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(o.Log, "informer-gen: go vet ./...")
		problems, err := rewrite.Problems(ctx, change.module.dir)
		if err != nil {
			return err
		}
		for _, problem := range problems {
			// Edits move lines.
			if slices.ContainsFunc(plan.problems, func(before rewrite.Note) bool { return before.File == problem.File && before.Text == problem.Text }) {
				continue
			}
			plan.left = append(plan.left, p.note(position{problem.File, problem.Line}, "%s", problem.Text))
		}
	}
	return nil
}

// build compiles all packages of a module. It links no programs, which takes minutes, and finds no mistakes.
func (o Options) build(ctx context.Context, dir string) error {
	return o.run(ctx, dir, "go", "list", "-export", "-f={{with .Export}}{{end}}", "./...")
}

// run runs a command, and prints it. A folder vendor does not have the new requirements yet, so it is ignored.
func (o Options) run(ctx context.Context, dir, name string, args ...string) error {
	shown := strings.Join(append([]string{strings.TrimSuffix(filepath.Base(name), ".exe")}, args...), " ")
	if name == o.Tool {
		shown = strings.Join(append([]string{"informer-gen"}, args...), " ")
	}
	if strings.HasPrefix(shown, "go list") {
		shown = "go build ./..."
	}
	fmt.Fprintln(o.Log, "informer-gen: "+shown)
	goFlags := ""
	if exists(filepath.Join(dir, "vendor", "modules.txt")) {
		goFlags = "-mod=mod"
	}
	command := newCommand(ctx, dir, goFlags, append([]string{name}, args...)...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s in %s: %w\n%s", shown, dir, cmp.Or(ctx.Err(), err), withoutProgress(output.String()))
	}
	return nil
}

// withoutProgress drops the lines about downloads.
func withoutProgress(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go: downloading ") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}
