// Package mutate runs the generator on API packages that others wrote, after changing a few of
// their lines: what a user's editor, a merge or a new version of a dependency may leave behind.
//
//	published package ──mutations──▶ source ──informer-gen──▶ error, or code that type-checks
//
// Whatever the source is, the generator must not panic, must not use more than 10 seconds of
// processor time or 1 GB of memory, must leave the disk as it was if it fails, and must emit code that
// type-checks if the source does.
package mutate
