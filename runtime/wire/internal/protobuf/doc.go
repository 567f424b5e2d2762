// Package protobuf decodes the protobuf messages of API objects into Go types.
//
// A Plan is a tree of decoders, one for each field of a message, as in package plan. The
// numbers of fields come from the protobuf tags of the Go types. A view, which has some
// fields of a type, takes them from that type: a field of the view is the one that has the
// same name in JSON.
//
// It is a fast path that may give up. The result of Decode is the one that the generated method
// Unmarshal of the type makes of the same bytes. At anything unusual, and at each error,
// Decode gives up, and Plan.Unmarshal calls that method. Servers write each message in one
// form: fields in the order of their numbers, and those of one number together.
//
// Besides, the package reads messages without decoding them:
//
//   - ReadEnvelope and ReadEvent read the messages around an object.
//   - Plan.ReadHead, Plan.ReadVersion and Plan.ContentHash tell which object and state a
//     message is.
//   - Plan.Cut leaves fields out of a message.
//   - Plan.Fault finds which field of a message cannot be decoded.
//
// lexer.go has all functions that read the encoding
// (https://protobuf.dev/programming-guides/encoding/).
package protobuf
