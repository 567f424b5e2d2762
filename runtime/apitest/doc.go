// Package apitest is an in-memory Kubernetes API server for tests, behind [http.RoundTripper].
package apitest
