// Package plan decodes the JSON text of one API object into a Go type.
//
// A Plan is a tree of decoders, one for each member of a type. It is made with reflect once,
// and then only read:
//
//	Plan ── structDecoder ─┬─ "kind"     ── stringDecoder
//	                       ├─ "metadata" ── structDecoder ─┬─ "name" ── stringDecoder
//	                       │                               └─ …
//	                       └─ "spec"     ── structDecoder ─── "containers" ── sliceDecoder ── …
//
// It is a fast path that may give up. The result of Decode is the one that apimachinery's serializer
// makes of the same text. At anything unusual, and at each error, Decode gives up, and
// Unmarshal decodes the text from its start with a library that reports the error. So
// a decoder has neither error messages nor rare cases.
//
// Besides, the package reads objects without decoding them:
//
//   - Scanner and ValueEnd find where a value ends, Members what is in an object.
//   - ReadHead, ReadVersion and ContentHash tell which object and state a text is.
//   - Plan.Cut leaves members out of a text.
//   - Plan.Fault finds which part of a text cannot be decoded.
//
// lexer.go has all functions that read JSON. Package memory has all uses of unsafe.
package plan
