package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// ModulePath is that of every project.
const ModulePath = "example.com/project"

// The folders of the two sides, in Dir and below ModulePath. ClientGo is our side again, with
// --informers=client-go.
const (
	Ours     = "ours"
	ClientGo = "clientgo"
	Theirs   = "theirs"
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
	if err := p.Clear(Ours, ClientGo, Theirs, "pkg", "applyconfiguration"); err != nil {
		return nil, err
	}
	if err := p.writeModule(ctx); err != nil {
		return nil, err
	}
	if input.source != "" {
		if err := os.CopyFS(filepath.Join(p.Dir, "pkg/apis", filepath.Base(input.source)), os.DirFS(input.source)); err != nil {
			return nil, err
		}
	}
	if input.Apply == "" {
		return p, p.writeDocument(ctx)
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

// writeModule makes a go.mod of that of Tools.Module, which requires all that
// the two sides need.
func (p *Project) writeModule(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(p.tools.Module, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.Dir, name), content, 0o644); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit", "-module=" + ModulePath}
	text, err := goCommand(ctx, p.Dir, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var module struct {
		Replace []struct{ Old, New struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return err
	}
	for _, replace := range module.Replace {
		// Folders are relative to that of the module.
		if strings.HasPrefix(replace.New.Path, ".") {
			edit = append(edit, "-replace="+replace.Old.Path+"="+filepath.Join(p.tools.Module, replace.New.Path))
		}
	}
	_, err = goCommand(ctx, p.Dir, edit...)
	return err
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

// Generate runs both sides, and ours again with --informers=client-go.
func (p *Project) Generate(ctx context.Context) error {
	commands := append(p.Theirs(ctx), p.Ours(ctx))
	if !p.Input.ClientsOnly {
		commands = append(commands, p.ours(ctx, ClientGo, "--informers=client-go"))
	}
	for _, command := range commands {
		if err := run(command); err != nil {
			return err
		}
	}
	return nil
}

// Vet compiles and vets our side, with the GOFLAGS of the process: make test has
// compiled what it imports with these.
func (p *Project) Vet(ctx context.Context) error {
	command := p.command(ctx, "go", []string{"vet", "./" + Ours + "/...", "./" + ClientGo + "/..."})
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
