// Package apiextensions lets the in-memory API server of package apitest serve custom resources as their CRDs
// say: with defaults, pruning, validation and CEL rules.
package apiextensions
