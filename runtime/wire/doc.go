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
//	errors.go     errors that callers can tell apart
//
// # What it promises
//
//   - An object is what k8s.io/apimachinery's JSON serializer makes of the same bytes
//     with the same Go type: names have to match to the letter, unknown ones are left
//     out, of duplicates the last one wins, integers in untyped values are int64. What
//     that refuses is refused here, with its reason.
//   - Objects and events come out in the order of the body.
//   - At no time is a whole body in memory: what is there besides the objects is bounded
//     by about three times the size of the largest object, and 64 KB for each processor.
//   - No goroutine is left when List or Stream.Stop has returned, and the body is
//     closed.
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
