// Package attacks has objects that an attacker has written to be expensive, for the decoders and indexes of this runtime and of
// client-go:
//
//	texts_test.go     the texts of such objects
//	decoding_test.go  each text by each decoder
//	messages_test.go  the same in protobuf
//	indexing_test.go  changes of objects with many index values
//	attack_test.go    one attack on both sides
//
// An attack that takes five times as long as with client-go breaks a promise. A test compares the allocations, and a benchmark
// the processor time, with that of the garbage collection after it:
//
//	go test -run='^$' -bench=. -benchtime=1x ./bench/attacks
package attacks
