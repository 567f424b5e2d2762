// Package repository has tests of the repository as a whole, and nothing to import:
//
//	architecture, file_arrows    which package imports which, and which file uses which
//	globals                      variables of packages that change
//	faces                        the typed faces do not pull their machine into a user's package
//	changelog, minimums          pages that repeat a fact of the code
//	makefile, scripts, workflow  commands of contributors and of CI
package repository
