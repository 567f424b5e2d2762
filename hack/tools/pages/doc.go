// Command pages checks the Markdown pages of the repository, in whose root folder it runs, without the network. It prints a
// line for each mistake, "file:line: what is wrong; what to write", and exits with 1 if there is one. make lint runs it.
//
//   - links.go: relative links and links to this repository on GitHub name files and headings that exist. Packages of this
//     module on pkg.go.dev exist too. Other links are https. It requests no other site.
//   - index.go: docs/README.md links each page of docs, and docs/design/README.md each page of docs/design.
//     Each page opens with the sentence "This page is for …".
//   - commands.go: a make target in a command is a target of the Makefile.
//   - code.go: Go code is text of a Go file that the go command compiles. That of docs/markers.md and blocks of the language
//     "go emitted" have tests of the generator.
//   - typed.go: the pages that TestTyping types: it writes the files that they name, and runs their commands.
package main
