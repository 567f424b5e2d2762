// Package guide has the code of docs/testing.md, docs/applying.md and parts of docs/informers.md. It has tests only.
package guide
