// Package applied has kinds whose parts have all forms that an apply configuration can have. The folder api is
// input of the generator, with --with-applyconfig, and generated is the output.
package applied
