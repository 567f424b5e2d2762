// Package golist asks the go command for packages. It reads no Go file, except to explain why a build does not have it:
//
//	patterns ──List──▶ names of files and modules
//	paths ──Imports──▶ the same, with all imports
//	errors of the go command ──AddErrors──▶ errors with their fix
//
//	environment.go  the environment and the settings of the go command
//	folder.go       folders and modules on disk
//	constraint.go   files that no build has
//	message.go      the errors of the go command, with their fixes
//	list.go         List and Imports
//	advice.go       advice for a run whose patterns match no package
package golist
