// Package sharding compares package sharding of the runtime with the code of an API server that filters
// lists and watches by ListOptions.ShardSelector.
package sharding
