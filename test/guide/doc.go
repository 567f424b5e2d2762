// Package guide has the code of docs/testing.md and docs/applying.md. It has tests only.
package guide
