package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var kubernetes = flag.String("kubernetes", "v0.34.0 v0.37.2", "versions of Kubernetes with which TestTyping types the pages; with -short only the last one")

// TestTyping types pages as a new user would, word by word: it writes the files that they show, and runs their commands,
// in a folder with a space in its name. Only the path of the clone and the version of Kubernetes are its own.
//
// A block of text after commands has lines that they print. Commands in a terminal of their own run until the page ends, and the next ones
// begin when they have printed it.
func TestTyping(t *testing.T) {
	clone, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err := exec.Command("go", "env", "GOPROXY").Output(); err != nil || strings.TrimSpace(string(proxy)) == "off" {
		t.Skip("new modules need a module proxy")
	}
	versions := strings.Fields(*kubernetes)
	newest := versions[len(versions)-1]
	if testing.Short() {
		versions = versions[len(versions)-1:]
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			typist := &typist{clone: clone, newest: newest, version: version}
			readme := typist.page(t, "README.md")
			t.Run("README.md", func(t *testing.T) {
				dir := newFolder(t)
				typist.run(t, dir, "go mod init example.com/webs")
				typist.typePage(t, dir, readme)
				if testing.Short() {
					return
				}
				typist.run(t, dir, "go test ./...")
				for _, name := range []string{"docs/install.md", "docs/applying.md"} {
					t.Run(name, func(t *testing.T) { typist.typePage(t, dir, typist.page(t, name)) })
				}
			})
			if testing.Short() {
				return
			}
			t.Run("docs/markers.md", func(t *testing.T) {
				dir := newFolder(t)
				typist.run(t, dir, "go mod init example.com/shop")
				install := slices.IndexFunc(readme.blocks, func(b block) bool { return b.language == "sh" })
				typist.typeBlock(t, dir, readme.blocks[install], "")
				typist.typePage(t, dir, typist.page(t, "docs/markers.md"))
				typist.run(t, dir, "go mod tidy\ngo vet ./...")
			})
			t.Run("docs/quickstart.md", func(t *testing.T) { typist.typePage(t, newFolder(t), typist.page(t, "docs/quickstart.md")) })
		})
	}
}

// newFolder returns an empty folder with a space in its name.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// typist types pages.
type typist struct {
	// clone is the path of this repository. The pages have the newest version of Kubernetes, and the typist version.
	clone, newest, version string
}

func (y *typist) page(t *testing.T, name string) *page {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(y.clone, name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(name, source)
}

func (y *typist) typePage(t *testing.T, dir string, p *page) {
	for i, b := range p.blocks {
		prints := ""
		if i+1 < len(p.blocks) && p.blocks[i+1].language == "text" {
			prints = p.blocks[i+1].code
		}
		t.Logf("%s:%d", p.name, b.line)
		y.typeBlock(t, dir, b, prints)
	}
}

func (y *typist) typeBlock(t *testing.T, dir string, b block, prints string) {
	t.Helper()
	name := b.file()
	_, noKubectl := exec.LookPath("kubectl")
	switch {
	case name != "":
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.code), 0o644); err != nil {
			t.Fatal(err)
		}
	case b.language != "sh":
	case strings.Contains(b.code, "kubectl ") && noKubectl != nil:
		t.Log("kubectl is not installed, so these commands are left out")
	case b.hasOwnTerminal():
		y.start(t, dir, b.code, prints)
	default:
		if missing := missing(prints, y.run(t, dir, b.code)); missing != "" {
			t.Errorf("the commands do not print %q", missing)
		}
	}
}

// missing returns the first line that a text does not have.
func missing(lines, text string) string {
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); !strings.Contains(text, line) {
			return line
		}
	}
	return ""
}

func (y *typist) command(t *testing.T, dir, commands string) *exec.Cmd {
	t.Helper()
	if strings.Contains(commands, "VERSION=") && !strings.Contains(commands, "VERSION="+y.newest+"\n") {
		t.Errorf("the page does not have the newest version, %s", y.newest)
	}
	commands = strings.NewReplacer("/path/to/clone", y.clone, "VERSION="+y.newest, "VERSION="+y.version).Replace(commands)
	command := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	command.Dir = dir
	command.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off")
	return command
}

// run runs commands and returns their output.
func (y *typist) run(t *testing.T, dir, commands string) string {
	t.Helper()
	output, err := y.command(t, dir, commands).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nprint\n%s", err, commands, output)
	}
	return string(output)
}

// start starts commands, and returns when they have printed the lines. They end with the test.
func (y *typist) start(t *testing.T, dir, commands, prints string) {
	t.Helper()
	command := y.command(t, dir, commands)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the programs that it starts
	output, err := command.StdoutPipe()
	command.Stderr = command.Stdout
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	})
	printed := ""
	for lines := bufio.NewScanner(output); missing(prints, printed) != ""; printed += lines.Text() + "\n" {
		if !lines.Scan() {
			t.Fatalf("the commands have ended, without %q\n%s\nprint\n%s", missing(prints, printed), commands, printed)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, output) }() // until the commands end
}

// TestTypedBlocks checks what of a page is a file or a command.
func TestTypedBlocks(t *testing.T) {
	source := "# Title\n\nWrite `api/v1/types.go`, not `interface{}`:\n\n```go\npackage v1\n```\n\nAs in `main.go`:\n\n```sh\ngo test .\n```\n\nIn a second terminal, run:\n\n```sh\ngo run .\n```\n\nNo colon after `main.go`.\n\n```go\npackage main\n```\n"
	var got []string
	for _, b := range parse("page.md", []byte(source)).blocks {
		got = append(got, fmt.Sprintf("%s %q %t", b.language, b.file(), b.hasOwnTerminal()))
	}
	want := []string{`go "api/v1/types.go" false`, `sh "" false`, `sh "" true`, `go "" false`}
	if !slices.Equal(got, want) {
		t.Errorf("the blocks are %q, want %q", got, want)
	}
}
