package project

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/kube-openapi/pkg/util"
)

// ApplyFolder is that of the apply configurations, below the folder of a side.
const ApplyFolder = "applyconfiguration"

// document is an OpenAPI document whose definitions are empty, next to go.mod. With any document,
// applyconfiguration-gen generates Extract functions. Since v0.38 it needs a definition of each kind.
const document = "openapi.json"

// applyConfigurations generates those that both sides use, unless they are those of a dependency.
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

// writeDocument writes the document that theirs needs.
func (p *Project) writeDocument(ctx context.Context) error {
	dirs, err := goCommand(ctx, p.Dir, append([]string{"list", "-f", "{{.Dir}}"}, p.Input.packages()...)...)
	if err != nil {
		return err
	}
	definitions := map[string]struct{}{}
	for i, dir := range strings.Split(dirs, "\n") {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, match := range structType.FindAllSubmatch(source, -1) {
				definitions[util.ToRESTFriendlyName(p.Input.packages()[i]+"."+string(match[1]))] = struct{}{}
			}
		}
	}
	text, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]string{"title": "none", "version": "none"}, "paths": struct{}{}, "definitions": definitions,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, document), text, 0o644)
}

// structType is the declaration of a struct.
var structType = regexp.MustCompile(`(?m)^type (\w+) struct`)

// Ours is the command that generates our side.
func (p *Project) Ours(ctx context.Context) *exec.Cmd {
	return p.ours(ctx, Ours)
}

func (p *Project) ours(ctx context.Context, folder string, more ...string) *exec.Cmd {
	apply := "--with-applyconfig"
	if p.Input.Apply != "" {
		apply = "--apply-configuration-package=" + p.Input.Apply
	}
	flags := append([]string{"--output-dir=" + folder, apply}, more...)
	return p.command(ctx, p.tools.ours, append(flags, p.Input.packages()...))
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
		}
	}
	var commands []*exec.Cmd
	apply := p.Input.Apply
	if apply == "" {
		apply = path.Join(ModulePath, Theirs, ApplyFolder)
		args := append(output(ApplyFolder), "--openapi-schema="+filepath.Join(p.Dir, document))
		commands = append(commands, p.command(ctx, p.tools.apply, append(args, p.Input.packages()...)))
	}
	client := append(output("clientset"), plurals, "--clientset-name=versioned", "--input-base="+p.Input.Base,
		"--apply-configuration-package="+apply)
	for _, gv := range p.Input.GroupVersions {
		client = append(client, "--input="+gv)
	}
	commands = append(commands, p.command(ctx, p.tools.client, client))
	if p.Input.ClientsOnly {
		return commands
	}
	lister := append(output("listers"), plurals)
	informer := append(output("informers"), plurals,
		"--versioned-clientset-package="+path.Join(ModulePath, Theirs, "clientset/versioned"),
		"--listers-package="+path.Join(ModulePath, Theirs, "listers"))
	return append(commands,
		p.command(ctx, p.tools.lister, append(lister, p.Input.packages()...)),
		p.command(ctx, p.tools.informer, append(informer, p.Input.packages()...)))
}
