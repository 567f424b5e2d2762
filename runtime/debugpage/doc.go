// Package debugpage serves a page that shows what the informers of a program do, for the person
// who is on call.
package debugpage
