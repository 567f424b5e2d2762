// Package write brings rendered files to disk, or says what would change:
//
//	files ──NewPlan──▶ Plan ──Apply──▶ disk
//	                    │
//	                    └────Diff────▶ unified diff, for --verify
//
//	plan.go      what differs between the files and the disk, and what is left over
//	foreign.go   the files of others in the way, and the links that are not followed
//	apply.go     all of the plan, or nothing of it
//	temporary.go the files that it makes beside the others, and those that killed
//	             runs have left
//	diff.go      the plan as a unified diff
//
// Files that do not differ are not written, so a second run writes nothing and
// leaves modification times alone. What is left over from earlier runs is
// deleted if and only if it carries the header of this generator.
//
// The output folder may be a symbolic link. What is below it is read and changed
// through an os.Root, so that no link below it leads outside.
package write
