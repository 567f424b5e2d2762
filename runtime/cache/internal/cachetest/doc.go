// Package cachetest has the helpers that tests of package cache, and of the packages in its folder internal, share. It does not import package
// cache.
package cachetest
