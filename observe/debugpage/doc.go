// Package debugpage serves a page that shows what the informers of a program do, for the person
// who is on call: which informer does not follow the server, why, and what to do.
//
//	mux.Handle("/debug/informers", debugpage.New(factory))
//
// The page is one resource in three forms, by the Accept header or ?format=:
//
//	html   for browsers; it refreshes itself, and works without script too
//	text   for curl
//	json   for tools: an observe.Report
//
//	observe.Report ─▶ view ─┬─▶ page: details of each informer ◀─ history of the counters, kept while somebody looks
//	                        ├─▶ text: the same details
//	                        └─▶ JSON
//
// Its style sheet, script and icon have the address of the page with another query, so that the
// handler works under any path, with and without a slash at its end, behind http.StripPrefix and
// behind a proxy.
//
// It promises:
//
//   - No informer waits for a reader. A response is complete in memory before its first byte is
//     written, and no goroutine is started.
//   - It never shows an object. Text of objects that is in errors is shown only with
//     WithObjectTextInErrors. Credentials in URLs are removed.
//   - At a loopback address it answers only to localhost and loopback addresses, and to WithAllowedHosts, so that
//     no web page can read it by DNS rebinding.
//   - Text of the server is bounded and escaped in each of the forms.
//
// It shows names of objects and messages of the API server, and has no authentication of its
// own: serve it where only operators have access.
package debugpage
