// Package observe works out what can be said of the informers of a program: how each does, since when, why, and what to do.
//
//	status.Source ─▶ Reader ─▶ Report ─┬─▶ debugpage: HTML, text and JSON, for people and tools
//	                                   └─▶ healthz: is the program ready?
//
// A Report is also for a program that prints the state of its informers itself:
//
//	report := (&observe.Reader{Sources: []status.Source{factory}}).Read()
//
// It reads a status.Informer of each informer, and nothing else of the cache. Text of the server is bounded and
// printable. The report never has an object. Text of objects that is in errors is there only with Reader.ObjectText, and
// credentials in URLs and errors are removed.
package observe
