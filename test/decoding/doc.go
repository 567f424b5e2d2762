// Package decoding proves that runtime/wire makes of an object's bytes what
// apimachinery's JSON serializer makes of them, or for protobuf the generated method
// Unmarshal.
//
//	every kind of k8s.io/api, of the example operator, and some odd ones
//	        │ filled at random                     any bytes, and broken objects
//	        ▼                                               │
//	apimachinery encodes ──► bytes ◄────────────────────────┘
//	                          │
//	            ┌─────────────┴─────────────┐
//	            ▼                           ▼
//	  apimachinery decodes         runtime/wire decodes
//	            └────────► equal? ◄─────────┘
//
// Equal means by reflect.DeepEqual, which tells nil from empty, or an error on both
// sides. TestPackedHistories does the same with packed objects: it plays random histories of
// a server, and reads the caches of informers. The benchmarks compare the speed of both with that of other libraries.
package decoding
