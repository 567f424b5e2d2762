// Package apiclients tests the in-memory API server of apitest with the clients of the ecosystem: those of
// client-go for built-in kinds, any kind, metadata and discovery, and that of controller-runtime. It has tests only.
package apiclients
