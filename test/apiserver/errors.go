package apiserver

import "errors"

var (
	// ErrStopped is returned by everything that needs a running server after Stop, and after a Restart that
	// failed.
	ErrStopped = errors.New("the API server is not running: start one with apiserver.Start")

	// ErrDirInUse is returned by Start when another server, in this process or another, uses the same Dir.
	ErrDirInUse = errors.New("data directory is in use by another API server: stop that one, or give Options.Dir another directory")
)
