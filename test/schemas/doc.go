// Package schemas compares the schemas for structured merge that informer-gen derives from Go types with those
// of applyconfiguration-gen, which come from the OpenAPI document of a real API server.
package schemas
