// Package split has one group version whose kinds are in three packages. The folders api and exp are input of the
// generator, with all flags, and generated is the output.
package split
