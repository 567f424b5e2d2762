//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("text"), 0o644),
		os.WriteFile(at("empty"), nil, 0o644),
		os.WriteFile(at("large"), nil, 0o644),
		os.Truncate(at("large"), MaxBytes),
		os.WriteFile(at("too-large"), nil, 0o644),
		os.Truncate(at("too-large"), MaxBytes+1),
		os.Symlink("file", at("link")),
		os.Symlink("/dev/zero", at("link-to-device")),
		os.Symlink("pipe", at("link-to-pipe")),
		os.Symlink("link-to-itself", at("link-to-itself")),
		syscall.Mkfifo(at("pipe"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, want string
		size       int
	}{
		{at("file"), "", 4},
		{at("empty"), "", 0},
		{at("large"), "", MaxBytes},
		{at("link"), "", 4},
		{at("too-large"), "it has 33554433 bytes, and the limit is 33554432 bytes", 0},
		{at("pipe"), "it is not a regular file, but a named pipe", 0},
		{at("link-to-pipe"), "it is not a regular file, but a named pipe", 0},
		{"/dev/zero", "it is not a regular file, but a device", 0},
		{at("link-to-device"), "it is not a regular file, but a device", 0},
		{at("link-to-itself"), "too many levels of symbolic links", 0},
		{dir, "is a directory", 0},
		{at("missing"), "no such file", 0},
	} {
		for how, read := range map[string]func(string) ([]byte, error){
			"ReadFile": ReadFile,
			"Read":     func(name string) ([]byte, error) { return Read(os.OpenFile, name) },
		} {
			content, err := read(test.name)
			if test.want == "" {
				if err != nil || len(content) != test.size {
					t.Errorf("%s %s: %d bytes, want %d; %v", how, test.name, len(content), test.size, err)
				}
				continue
			}
			var pathError *fs.PathError
			if !errors.As(err, &pathError) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.name) {
				t.Errorf("%s %s: %v, want %s", how, test.name, err, test.want)
			}
		}
	}
}

// TestReadGrowing reads a file that reports the size 0, as files of the kernel do.
func TestReadGrowing(t *testing.T) {
	content, err := ReadFile("/proc/self/status")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this system has no such files")
	}
	if err != nil || !strings.HasPrefix(string(content), "Name:") {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}
