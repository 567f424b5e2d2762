package listed

import (
	"fmt"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TestUndecodableStatesAreExplainedAgain checks that one state keeps its reason once
// another one is gone.
func TestUndecodableStatesAreExplainedAgain(t *testing.T) {
	why := fmt.Errorf("why")
	numbered := func(i int) *wire.DecodeError {
		return &wire.DecodeError{Name: fmt.Sprint(i), Path: "/a", Near: "a", Err: why}
	}
	var u Undecodable
	noteState := func(state *wire.DecodeError) { Note(&u, &item{Err: state}, false) }
	for range 3 {
		for i := range MaxExplained + 10 {
			noteState(numbered(i))
		}
	}
	explained := func() (n int) {
		for _, state := range u.Sorted() {
			if state.Err == why {
				n++
			}
		}
		return n
	}
	if n := explained(); n != MaxExplained || u.explained != n || len(u.states) != MaxExplained+10 {
		t.Errorf("%d of %d are explained, counted are %d", n, len(u.states), u.explained)
	}
	for i := range 20 {
		u.forget(Name{Name: fmt.Sprint(i)})
		u.forget(Name{Name: fmt.Sprint(i)})
	}
	for i := range 5 {
		noteState(numbered(MaxExplained + i)) // in a new state
	}
	if n := explained(); n != MaxExplained-15 || u.explained != n {
		t.Errorf("%d are explained, counted are %d", n, u.explained)
	}
}
