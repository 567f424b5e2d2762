// Command pages checks the Markdown pages of the repository, without the network. make lint runs it:
//
//	pages [REPOSITORY]
//
// It prints one line for each mistake, "file:line: what is wrong; what to write", and exits with 1 if there is one.
//
//   - links.go: relative links and links to this repository on GitHub name files, headings and lines that exist.
//     Packages of this module on pkg.go.dev exist too. Other links are https.
//   - index.go: docs/README.md links each page of docs, and docs/design/README.md each page of docs/design.
//     Each page opens with the sentence "This page is for …".
//   - commands.go: a make target in a command is a target of the Makefile.
//   - code.go: Go code is text of a Go file that the tests compile, or a test that is listed there compiles it.
//   - typed.go: the pages that TestTyping types: it writes the files that they name, and runs their commands.
//
// It does not request other sites, and it does not check the anchors of other sites.
package main
