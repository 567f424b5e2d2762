package testserver

import "errors"

var (
	// ErrStopped is returned by everything that needs a running server after Stop, and after a
	// Restart that failed.
	ErrStopped = errors.New("the API server is not running; start one with testserver.Start or New")

	// ErrDirInUse is returned by New if another server, in this process or another, uses the directory of WithDir.
	ErrDirInUse = errors.New("the data directory is in use by another API server; stop that one, or give WithDir another directory")
)
