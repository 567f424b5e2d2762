// Package golist asks the go command for packages. It reads no Go file, except to explain why a build does not have it:
//
//	patterns ──List──▶ names of files and modules
//	paths ──Imports──▶ the same, with all imports
//	errors of the go command ──AddErrors──▶ errors with their fix
//
//	environment.go  the environment and the settings of the go command
//	folder.go       folders and modules on disk
//	constraint.go   files that no build has
//	message.go      the errors of the go command, with what to do about them
//	list.go         List and Imports
//	advice.go       what to do if no package matches
package golist
