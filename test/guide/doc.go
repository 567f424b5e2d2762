// Package guide has the code of docs/testing.md. It has tests only.
package guide
