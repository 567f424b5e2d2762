// Package wire decodes the bodies of LIST and WATCH responses to typed objects, as their
// bytes arrive. Package cache uses it. A program that only reads collections can use it
// alone.
//
// How a body becomes objects:
//
//	body ─▶ source ─frames─▶ task ─▶ codec ─▶ object      in parallel, several tasks
//	          │ where a value or message ends  │             results in the order of the body
//	          ▼                                ▼ its plan gives up
//	        block, used again                Unmarshal, which is apimachinery's
//
// Start at Decoder, which reads a LIST with List and a WATCH with Watch. This package has the
// protocol. internal/plan has all that reads JSON: it decodes one object, finds where a value
// ends, and finds the faulty part of an object. internal/protobuf does the same for protobuf.
// The first byte of a body tells its encoding, which may be another one than the requested one.
//
// # What it promises
//
//   - An object equals the one that k8s.io/apimachinery's JSON serializer decodes from the
//     same bytes to the same Go type: the case of names matters, unknown members are left
//     out, the last one of duplicates wins, and integers in untyped values are int64. A
//     text that the serializer refuses is refused here, with its reason. For protobuf, the
//     same is true of its protobuf serializer, that is, of the generated method Unmarshal,
//     except that objects with more than 10,000 messages inside each other are refused:
//     the method would end the program. What is left out is not checked.
//   - Objects and events come out in the order of the body.
//   - A whole body is never in memory. Besides the objects, the bytes of one body that are
//     in memory are at most max(16 MB, 3L) + 64 KB × (P + 1). L is the size of its
//     largest object, event or other part, and P is GOMAXPROCS. Reading waits until
//     enough objects are decoded. Decoding an object may copy it once: an object that
//     apimachinery's serializer has to decode, or an untyped one without a kind.
//   - A watch that waits for the server holds less than 5 KB and the stack of one
//     goroutine.
//   - No goroutine is left when List or Stream.Stop has returned, and the body is
//     closed.
//   - An error holds less than 8 KB of a body, or 64 KB for a Status. Its text is short
//     and has one line, for any body. It has no text of Secrets. With
//     WithoutObjectTextInErrors it has no text of any object.
//   - An object that cannot be decoded takes at most five times as long as
//     apimachinery's serializer needs to refuse it: one attempt of the plan, one of the
//     serializer, and one pass over the text to find the faulty part.
//
// # Text of deleted objects in memory
//
// No reachable memory holds text of an object that its owner has dropped, with two
// exceptions. Strings of at most 64 bytes are remembered, so that equal strings of many
// objects share memory. With Options.ReadOnly, so are parts whose text has at most 4 KB: maps,
// slices and pointers in protobuf, but for labels, annotations and what has metadata in it, and the
// fieldsV1 of managedFields in JSON. Objects of two Decoders share no part. Each goroutine that decodes has a table of 2048 strings,
// another one for untyped values, and one of 1024 parts for each encoding. All caches of a
// program share these tables. A table that is in use forgets entries that were not used for two minutes. A table that is
// not in use is freed in two cycles of the garbage collector. Nothing below a field or member
// named data or stringData is ever remembered.
//
// Buffers for the text of a body, and for texts with escape sequences, are cleared before
// they are used again. The garbage collector does not clear other memory before it is used
// again: a dump of the process may show text of a deleted object.
//
// # The protocol
//
// The response to a LIST is one object. This package uses its items and its metadata
// (resourceVersion, continue). The response to a WATCH is a sequence of objects {"type",
// "object"}. The types are ADDED, MODIFIED, DELETED, BOOKMARK and ERROR. The object of a
// BOOKMARK has only a resourceVersion, and that of an ERROR is a Status. In a streaming list
// the bookmark with the annotation k8s.io/initial-events-end ends the initial state
// (https://kubernetes.io/docs/reference/using-api/api-concepts/). API servers end events with
// a newline, but a Stream does not need it. If an event has a newline after an inner
// brace, the first watch fails, and the next ones count brackets instead of lines.
//
// In protobuf a list is the bytes "k8s\x00" and a runtime.Unknown with the message of the list,
// whose metadata has the number 1 and whose items have the number 2. A WATCH is a sequence of
// frames: a length of four bytes, the most significant first, and a metav1.WatchEvent, whose
// object is again "k8s\x00" and a runtime.Unknown
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding).
package wire
