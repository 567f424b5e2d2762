// Package write compares rendered files with the disk, and writes them:
//
//	files, by folder ──NewPlan──▶ Plan ──Apply──▶ disk
//	                               │
//	                               └────Diff────▶ unified diff, for --verify
//
//	header.go    the line that marks a file of the generator
//	folder.go    Output, Change, and the part of a plan in one folder
//	foreign.go   files that others wrote, and links that are not followed
//	open.go      folders that no link leads out of
//	temporary.go the names of temporary files
//	stale.go     files of earlier runs
//	neighbors.go files of the user that would not compile with generated ones
//	plan.go      the differences between the files and the disk
//	apply.go     all changes of the plan, or none
//	diff.go      the plan as a unified diff
//
// Files that do not differ are not written, so a second run writes nothing and leaves modification
// times alone. A stale file of an earlier run is deleted only if it has the header of this generator.
//
// A run writes to the output folder, and to folders of API packages. They are one plan: if Apply fails in one
// folder, it changes none.
//
// The output folder may be a symbolic link. Files in it are read and changed through an os.Root, so
// that no link in it leads outside. The folder of a package is opened through the os.Root of its module.
package write
