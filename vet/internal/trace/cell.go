package trace

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
)

// cell is a local variable that is in memory, because a function literal uses it or its address is taken, or a field of one.
type cell struct {
	variable *ssa.Alloc
	// path has the indexes of the fields; "" for the whole variable.
	path string
}

// cellOf returns the cell of an address; it has no variable if the address is another one.
func cellOf(addr ssa.Value) cell {
	if field, is := addr.(*ssa.FieldAddr); is {
		c := cellOf(field.X)
		c.path += fmt.Sprintf(".%d", field.Field)
		return c
	}
	return cell{variable: variableOf(addr)}
}

// variableOf returns the variable of an address, which may be one that a function literal captures.
func variableOf(addr ssa.Value) *ssa.Alloc {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		return addr
	case *ssa.FreeVar:
		literal := addr.Parent()
		if literal.Parent() == nil {
			return nil
		}
		for _, block := range literal.Parent().Blocks {
			for _, instr := range block.Instrs {
				if closure, is := instr.(*ssa.MakeClosure); is && closure.Fn == literal {
					for n, free := range literal.FreeVars {
						if free == addr {
							return variableOf(closure.Bindings[n])
						}
					}
				}
			}
		}
	}
	return nil
}

// names returns the values that are the address of the variable: its own, and those in the function literals that capture it.
func names(variable ssa.Value) []ssa.Value {
	all := []ssa.Value{variable}
	for _, instr := range *variable.Referrers() {
		if closure, is := instr.(*ssa.MakeClosure); is {
			for n, binding := range closure.Bindings {
				if binding == variable {
					all = append(all, names(closure.Fn.(*ssa.Function).FreeVars[n])...)
				}
			}
		}
	}
	return all
}

// addresses returns the values that are the address of the cell.
func (c cell) addresses() (found []ssa.Value) {
	if c.variable == nil {
		return nil
	}
	for _, name := range names(c.variable) {
		found = append(found, c.within(name, "")...)
	}
	return found
}

// within returns the addresses of the cell that are made of an address with a shorter path.
func (c cell) within(addr ssa.Value, path string) (found []ssa.Value) {
	if path == c.path {
		return []ssa.Value{addr}
	}
	for _, instr := range *addr.Referrers() {
		if field, is := instr.(*ssa.FieldAddr); is {
			if longer := fmt.Sprintf("%s.%d", path, field.Field); strings.HasPrefix(c.path+".", longer+".") {
				found = append(found, c.within(field, longer)...)
			}
		}
	}
	return found
}

// StoredTo returns the values that are stored to a local variable, by its address, also in function literals; nil for other addresses.
func StoredTo(addr ssa.Value) []ssa.Value { return cellOf(addr).stores() }

// stores returns all values that are stored to the cell as a whole, except for those that replace nil: where they are stored, the cell
// refers to no object.
func (c cell) stores() (found []ssa.Value) {
	addresses := c.addresses()
	for _, addr := range addresses {
		for _, instr := range *addr.Referrers() {
			if store, is := instr.(*ssa.Store); is && store.Addr == addr && !replacesNil(store, addresses) {
				found = append(found, store.Val)
			}
		}
	}
	return found
}

// replacesNil reports whether a store is in the body of an if statement that compares the cell with nil.
func replacesNil(store *ssa.Store, addresses []ssa.Value) bool {
	if len(store.Block().Preds) != 1 {
		return false
	}
	before := store.Block().Preds[0]
	branch, is := before.Instrs[len(before.Instrs)-1].(*ssa.If)
	if !is || before.Succs[0] != store.Block() {
		return false
	}
	equal, is := branch.Cond.(*ssa.BinOp)
	if !is || equal.Op != token.EQL {
		return false
	}
	load, is := equal.X.(*ssa.UnOp)
	return is && slices.Contains(addresses, load.X)
}

// stored reports whether the field of a variable is assigned to on its own.
func (c cell) stored() bool { return c.variable != nil && c.path != "" && len(c.stores()) > 0 }

// reset reports whether the address is an argument of a call that fills the variable.
func (c cell) reset() bool {
	for _, addr := range c.addresses() {
		for _, instr := range *addr.Referrers() {
			if call, is := instr.(ssa.CallInstruction); is {
				if fn := caches.Callee(call.Common()); fn != nil && fills(fn.Name()) {
					return true
				}
			}
		}
	}
	return false
}

func fills(name string) bool {
	for _, part := range []string{"DeepCopyInto", "Unmarshal", "Decode", "Convert", "FromUnstructured", "Scan"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
