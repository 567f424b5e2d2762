// Package pack keeps the text of an object, compressed, in place of its Go value, and decodes it when it is read.
//
//	           ┌─ Pack: the text of a list, a watch or a response
//	Packing ◀──┤
//	   │       └─ Keep: objects without one, such as those of a client, which stay Go values
//	   ▼
//	 Object ─▶ Text  [ *format │ sizes │ compressed bytes … ]    one allocation
//	                      │
//	                      ▼
//	                   format: how the bytes were encoded, and a dictionary
//
//	packing.go   Packing: makes an Object of an object
//	keeper.go    Packing as the store sees it, whose words are Texts, and their sizes
//	source.go    Source: packs the objects of a client
//	object.go    Object: a Text as the cache passes it on
//	metadata.go  the methods of Object that decode the metadata
//	line.go      line: compresses the texts of one encoding, and makes its dictionaries
//	text.go      Text: an object in memory
//	encoding.go  encoding: reads the texts of one form
//	sizes.go     the sizes that Texts have in memory
//
// A Text refers to its format, and a format to its dictionary. So the garbage collector frees a dictionary when no object
// uses it. An Object is valid for as long as it is referred to, also after the store has dropped it.
package pack
