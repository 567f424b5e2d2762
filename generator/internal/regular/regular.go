// Package regular reads regular files of limited size. A named pipe would block
// the reader until another process writes, and a device such as /dev/zero would
// fill the memory.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxBytes is the size of the largest file that is read. The largest CRD that an
// API server stores has about 1.5 MB.
const MaxBytes = 32 << 20

// ReadFile returns the content of a file, which may be a symbolic link to a regular
// file. The error is a *fs.PathError.
func ReadFile(name string) ([]byte, error) {
	// Opening a device can have effects, so look before. Read looks again, because
	// the file may have been replaced meanwhile.
	if info, err := os.Stat(name); err == nil {
		if err := check(name, info); err != nil {
			return nil, err
		}
	}
	return Read(os.OpenFile, name)
}

// OpenFunc opens a file, as os.OpenFile does, or the method of an os.Root.
type OpenFunc func(name string, flag int, perm fs.FileMode) (*os.File, error)

// Read is like ReadFile, but opens the file with open.
func Read(open OpenFunc, name string) ([]byte, error) {
	// O_NONBLOCK, because opening a named pipe blocks until there is a writer.
	file, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, err
	}
	content := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(file, MaxBytes+1)); err != nil {
		return nil, err
	}
	if content.Len() > MaxBytes {
		return nil, tooLarge(name, "more bytes than it had when it was opened")
	}
	return content.Bytes(), nil
}

// WithoutPath returns a file error without its path, which the message begins with.
func WithoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// check returns an error unless info describes a regular file that is not too large.
func check(name string, info fs.FileInfo) error {
	kind := "another file"
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() > MaxBytes:
		return tooLarge(name, fmt.Sprintf("%d bytes", info.Size()))
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return &fs.PathError{Op: "read", Path: name, Err: errors.New("it is not a regular file, but " + kind)}
}

func tooLarge(name, size string) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has %s, and the limit is %d bytes", size, MaxBytes)}
}
