// Package shell reads scripts, recipes of makefiles and go:generate lines without running them.
//
//	text ──Parse──▶ commands with raw words ──Scope.Run──▶ variables, working folder
//	                                        └─Scope.Words──▶ words
//
// It knows the idioms with which scripts find their own repository. The value of everything else is unknown: Unknown names the
// variable or the command of such a part of a word.
package shell
