package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ModulePath is that of every project.
const ModulePath = "example.com/project"

// The folders of the two sides, in Dir and below ModulePath.
const (
	Ours   = "ours"
	Theirs = "theirs"
)

// Project is a module on disk.
type Project struct {
	Dir   string
	Input Input
	tools *Tools
	lock  *os.File
}

// Create makes a project in dir, or makes anew what is there. Choose the same
// folder in every run: then the go command has compiled most of it before. Close
// the project when you are done; until then nobody else can have it.
func Create(ctx context.Context, tools *Tools, dir string, input Input) (_ *Project, err error) {
	p := &Project{Input: input, tools: tools}
	if p.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return nil, err
	}
	if p.lock, err = lock(filepath.Join(p.Dir, "lock")); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := p.Clear(Ours, Theirs, "pkg", "applyconfiguration"); err != nil {
		return nil, err
	}
	if err := p.writeModule(ctx); err != nil {
		return nil, err
	}
	if input.source != "" {
		if err := os.CopyFS(filepath.Join(p.Dir, "pkg/apis"), os.DirFS(input.source)); err != nil {
			return nil, err
		}
	}
	return p, p.applyConfigurations(ctx)
}

// Close lets others have the project. Its files stay.
func (p *Project) Close() error {
	return errors.Join(os.RemoveAll(filepath.Join(p.Dir, aside)), p.lock.Close())
}

// lock waits for others that have the file.
func lock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot lock %s: %w", name, err), file.Close())
	}
	return file, nil
}

// writeModule makes a go.mod of that of the test module, which requires all that
// the two sides need.
func (p *Project) writeModule(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(p.tools.repo, "test", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.Dir, name), content, 0o644); err != nil {
			return err
		}
	}
	const product = "github.com/typedinformers/informer-gen"
	edit := []string{"mod", "edit", "-module=" + ModulePath}
	for _, module := range []string{"", "/examples/operator", "/kubernetes", "/adapters/clientgo", "/testserver"} {
		edit = append(edit, "-replace="+product+module+"="+filepath.Join(p.tools.repo, module))
	}
	_, err := goCommand(ctx, p.Dir, edit...)
	return err
}

// applyConfigurations generates them, unless they are those of a dependency.
func (p *Project) applyConfigurations(ctx context.Context) error {
	folder, ok := strings.CutPrefix(p.Input.Apply, ModulePath+"/")
	if !ok {
		return nil
	}
	return run(p.command(ctx, p.tools.apply, append([]string{
		"--output-dir=" + filepath.Join(p.Dir, folder),
		"--output-pkg=" + p.Input.Apply,
	}, p.Input.packages()...)))
}

// aside is where cleared folders wait for Close. The go command does not look into
// folders of such a name.
const aside = "_cleared"

// Clear takes folders of the project away. They are deleted by Close only: for
// minutes after many files were deleted, ext4 takes up to five times as long to make
// new ones, and generators that are measured make a thousand.
func (p *Project) Clear(folders ...string) error {
	if err := os.MkdirAll(filepath.Join(p.Dir, aside), 0o755); err != nil {
		return err
	}
	to, err := os.MkdirTemp(filepath.Join(p.Dir, aside), "")
	if err != nil {
		return err
	}
	for _, folder := range folders {
		err := os.Rename(filepath.Join(p.Dir, folder), filepath.Join(to, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Ours is the command that generates our side.
func (p *Project) Ours(ctx context.Context) *exec.Cmd {
	return p.command(ctx, p.tools.ours, append([]string{
		"--output-dir=" + Ours,
		"--apply-configuration-package=" + p.Input.Apply,
	}, p.Input.packages()...))
}

// Theirs are the commands that generate their side, to be run one after the
// other. Kubernetes' own scripts give them the same plural exception; informer-gen
// knows it without being told.
func (p *Project) Theirs(ctx context.Context) []*exec.Cmd {
	const plurals = "--plural-exceptions=Endpoints:Endpoints"
	output := func(name string) []string {
		return []string{
			"--output-dir=" + filepath.Join(p.Dir, Theirs, name),
			"--output-pkg=" + path.Join(ModulePath, Theirs, name),
			plurals,
		}
	}
	client := append(output("clientset"), "--clientset-name=versioned", "--input-base="+p.Input.Base,
		"--apply-configuration-package="+p.Input.Apply)
	for _, gv := range p.Input.GroupVersions {
		client = append(client, "--input="+gv)
	}
	informer := append(output("informers"),
		"--versioned-clientset-package="+path.Join(ModulePath, Theirs, "clientset/versioned"),
		"--listers-package="+path.Join(ModulePath, Theirs, "listers"))
	return []*exec.Cmd{
		p.command(ctx, p.tools.client, client),
		p.command(ctx, p.tools.lister, append(output("listers"), p.Input.packages()...)),
		p.command(ctx, p.tools.informer, append(informer, p.Input.packages()...)),
	}
}

// Generate runs both sides.
func (p *Project) Generate(ctx context.Context) error {
	for _, command := range append(p.Theirs(ctx), p.Ours(ctx)) {
		if err := run(command); err != nil {
			return err
		}
	}
	return nil
}

// Vet compiles and vets our side, with the GOFLAGS of the process: make test has
// compiled what it imports with these.
func (p *Project) Vet(ctx context.Context) error {
	command := p.command(ctx, "go", []string{"vet", "./" + Ours + "/..."})
	command.Env = append(command.Env, "GOFLAGS="+os.Getenv("GOFLAGS"))
	return run(command)
}

func (p *Project) command(ctx context.Context, name string, args []string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = p.Dir, Environ()
	return command
}

func run(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(command.Path), err, output)
	}
	return nil
}
