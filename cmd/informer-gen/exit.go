package main

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // generation failed, or --verify found stale output
	exitUsage  = 2
)
