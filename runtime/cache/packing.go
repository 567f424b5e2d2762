package cache

import "github.com/typedinformers/informer-gen/runtime/cache/internal/pack"

// Compression makes the dictionaries with which WithPacking compresses the texts of objects. Its methods may be called from
// several goroutines.
type Compression = pack.Compression

// Dictionary compresses texts that resemble its own.
type Dictionary = pack.Dictionary
