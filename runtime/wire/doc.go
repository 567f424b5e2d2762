// Package wire makes typed objects of the bodies of LIST and WATCH responses, as
// their bytes arrive. Package cache stands on it; a program that only reads
// collections can use it alone.
//
// What happens to a byte on its way to an object:
//
//	body ─▶ source ─frames─▶ task ─▶ plan ─▶ object      in parallel, several tasks
//	          │ scanner: where a value ends    │            results in the order of the body
//	          ▼                                ▼ gives up
//	        block, used again                unmarshal, which is apimachinery's
//
//	doc.go        this page
//	object.go     Object, Page, Event
//	decoder.go    Decoder, Options: one object
//	list.go       Decoder.List: the body of a LIST
//	stream.go     Decoder.Watch: the body of a WATCH or a streaming list
//	event.go      one event of a watch
//	source.go     bytes to frames, which are JSON values
//	block.go      the memory that frames stand in
//	scan.go       where a JSON value ends
//	members.go    the members of an object, without decoding it
//	metadata.go   name and version of an object, read before it is decoded
//	content.go    the hash of an object's text
//	task.go       frames that are decoded together, and by whom
//	plan*.go      how objects of a type are decoded
//	diagnose.go   what to say of an object that cannot be decoded
//	fault.go      the part of an object that cannot be decoded
//	shape.go      what can be decoded to a type
//	errors.go     errors that callers can tell apart
//
// # What it promises
//
//   - An object is what k8s.io/apimachinery's JSON serializer makes of the same bytes
//     with the same Go type: names have to match to the letter, unknown ones are left
//     out, of duplicates the last one wins, integers in untyped values are int64. What
//     that refuses is refused here, with its reason.
//   - Objects and events come out in the order of the body.
//   - At no time is a whole body in memory. The bytes of one body that are held besides
//     the objects are at most max(16 MB, 3L) + 64 KB × (P + 1). L is the size of its
//     largest object, event or other part, and P is GOMAXPROCS. Reading waits until
//     enough objects are decoded. Decoding an object may copy it once: an object that
//     apimachinery's serializer has to decode, or an untyped one without a kind.
//   - A watch that waits for the server holds less than 5 KB and the stack of one
//     goroutine.
//   - No goroutine is left when List or Stream.Stop has returned, and the body is
//     closed.
//   - An error holds less than 8 KB of a body, or 64 KB for a Status. Its text is short
//     and in one line, whatever the body has. It has no text of Secrets, nor of any object
//     with WithoutObjectTextInErrors.
//   - An object that cannot be decoded costs at most five times what it costs apimachinery's
//     serializer to find that out: one attempt of the plan, one of the serializer, and one
//     pass over the text to find the place.
//
// # What memory holds of deleted objects
//
// Nothing that is reachable holds text of an object that its owner has dropped, with one
// exception: strings of at most 64 bytes are remembered, so that equal strings of many
// objects share memory. Each goroutine that decodes has a table of 2048 of them, and as
// many of untyped values. All caches of a program share these tables. A table that is in
// use forgets a string that it has not met for two minutes; a table that is not in use is
// dropped in two cycles of the garbage collector. What stands below a field or member of
// the name data or stringData is never remembered.
//
// Buffers that are used again are cleared first: the text of a body, and texts with
// escapes. Other memory is left to the garbage collector, which does not clear it before
// it is used again: a dump of the process may show what a deleted object held.
//
// # The protocol
//
// A LIST answers with one object, of which items and metadata (resourceVersion,
// continue) matter here. A WATCH answers with a sequence of objects {"type",
// "object"}; the types are ADDED, MODIFIED, DELETED, BOOKMARK, of whose object only the
// resourceVersion means anything, and ERROR, with a Status. In a streaming list the
// bookmark that has the annotation k8s.io/initial-events-end ends the initial state
// (https://kubernetes.io/docs/reference/using-api/api-concepts/). API servers end events with
// a newline; a Stream does not need it. (Where an event has newlines in the middle, behind
// a brace, the first watch fails, and the next ones look at brackets instead of lines.)
package wire
