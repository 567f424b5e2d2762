package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/typedinformers/informer-gen/internal/terminal"
)

// Run migrates the module that a folder is in, and the modules below it.
func Run(ctx context.Context, o Options) error {
	p, err := read(ctx, o.Dir)
	if err != nil {
		return err
	}
	decide := decide
	if o.ControllerRuntime {
		decide = decideManagers
	}
	plan, err := decide(ctx, p, o)
	if err != nil {
		return err
	}
	if len(plan.edits) == 0 {
		return plan.printNothing(o.Out)
	}
	plan.print(o.Out, p)
	uncommitted, err := p.uncommitted(ctx)
	if err == nil {
		err = p.refuseUncommitted(uncommitted)
	}
	if o.DryRun {
		printLeft(o.Out, plan.left)
		if err != nil {
			fmt.Fprintf(o.Out, "Without --dry-run, this would be an error: %v\n", err)
		}
		return nil
	}
	if err != nil && !o.Force {
		return err
	}
	t, err := plan.apply(ctx, p, o)
	if err != nil {
		return fmt.Errorf("%w\nThe tree is as it was", err)
	}
	printLeft(o.Out, plan.left)
	return plan.printUndo(ctx, o.Out, p, t, uncommitted)
}

// printNothing reports that nothing changes. It is an error if there are calls that cannot be read.
func (plan *plan) printNothing(w io.Writer) error {
	printLeft(w, plan.left)
	switch {
	case len(plan.left) > 0:
		return errors.New("no call of a generator can be replaced")
	case plan.already:
		fmt.Fprintln(w, "There is nothing to migrate: the managers have a NewCache.")
	default:
		fmt.Fprintln(w, "There is nothing to migrate: no script, makefile or go:generate line calls a generator of code-generator.")
	}
	return nil
}

// printUndo writes the commands that undo the changes. Generated files are named by their folders. Files that were uncommitted before
// come from objects that this writes to the repository.
func (plan *plan) printUndo(ctx context.Context, w io.Writer, p *findings, t *tree, uncommitted []string) error {
	differing, created, err := t.changed()
	if err != nil {
		return err
	}
	for vendor := range t.moved {
		if tracked, err := git(ctx, vendor, "ls-files", "."); err == nil && tracked != "" {
			differing, created = append(differing, vendor), append(created, vendor)
		}
	}
	var folders []string
	for _, r := range plan.runs {
		folders = append(folders, r.folders()...)
	}
	names := func(paths []string) string {
		var names []string
		for _, path := range paths {
			if in := slices.IndexFunc(folders, func(dir string) bool { return isBelow(dir, path) }); in >= 0 {
				path = folders[in]
			}
			if name := p.relative(path); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return terminal.Quote(names...)
	}
	fmt.Fprintf(w, "Files changed: %d, new: %d. To undo this:\n\tgit restore -- %s\n", len(differing), len(created), names(differing))
	if len(created) > 0 {
		fmt.Fprintf(w, "\tgit clean -fd -- %s\n", names(created))
	}
	for _, path := range differing {
		if was := t.copies[path]; was.content != nil && slices.Contains(uncommitted, path) {
			object, err := storeObject(ctx, p.dir, was.content)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "\tgit cat-file blob %s >%s\n", object, terminal.Quote(p.relative(path)))
		}
	}
	return nil
}
