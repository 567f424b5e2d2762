// Package later tests that programs compile and run with later versions of client-go, controller-runtime and apimachinery,
// whose interfaces have more methods.
//
//	modules of users, testdata, code for --informers=client-go
//	     │ Load
//	     ▼
//	Find ─▶ pairs: a type of ours, an interface of another module that its values become
//	     │
//	     ├─▶ the type embeds the interface ─▶ AddMethods ─▶ copies of the modules with a method more ─▶ tests of ours run
//	     └─▶ it does not ─▶ accepted.go has the reason, or the test fails
//
// A type that embeds a nil value of the interface, one level deeper than its own methods, has each method that is added.
// Such a method fails when it is called, and the stack has its name.
//
// The first test takes 15 seconds and compiles nothing. The second one runs with -programs. It compiles client-go and
// controller-runtime again, which takes four minutes of processor time. Both work in build/later.
//
// Find does not see the conversions that users write, except those of exported types to interfaces with several methods.
// The programs do not have testserver, which is made for one version of k8s.io/apiserver.
package later
