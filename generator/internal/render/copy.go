package render

import (
	"fmt"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Copied returns the type as its methods write it.
func (f *file) Copied(t *model.CopiedType) code {
	if len(t.TypeParams) == 0 {
		return code(f.name(t.Name))
	}
	var params []string
	for _, param := range t.TypeParams {
		params = append(params, f.name(param))
	}
	return code(f.name(t.Name) + "[" + strings.Join(params, ", ") + "]")
}

// Receiver returns the type of the receiver of DeepCopy.
func (f *file) Receiver(t *model.CopiedType) code {
	if t.IsReference {
		return f.Copied(t)
	}
	return "*" + f.Copied(t)
}

// Named returns an expression for a type, which may be of the file's own package.
func (f *file) Named(ref model.TypeRef) code { return f.GoType(model.GoType{{Ref: ref}}) }

// CopyBody returns the statements of DeepCopyInto.
func (f *file) CopyBody(t *model.CopiedType) code {
	c := copier{file: f}
	in := operand{"in", !t.IsReference}
	return statements(c.assign(t.Into, operand{"out", true}, in))
}

// operand is an expression for a variable, or for a pointer to it.
type operand struct {
	expr      string
	isPointer bool
}

func (o operand) value() string {
	switch {
	case o.isPointer && strings.HasPrefix(o.expr, "(*") && strings.HasSuffix(o.expr, ")"):
		return "*" + o.expr[1:len(o.expr)-1]
	case o.isPointer:
		return "*" + o.expr
	}
	return o.expr
}

// selected returns an expression for the variable that a selector may follow.
func (o operand) selected() string {
	if o.isPointer {
		return "(*" + o.expr + ")"
	}
	return o.expr
}

// callee returns an expression for the variable whose method is called.
func (o operand) callee(call *model.Copy) string {
	if call.Indirect {
		return o.selected()
	}
	return o.expr
}

func (o operand) address() string {
	if o.isPointer {
		return o.expr
	}
	return "&" + o.expr
}

func (o operand) field(name string) operand { return operand{o.expr + "." + name, false} }

func (o operand) index(i string) operand {
	return operand{o.selected() + "[" + i + "]", false}
}

// copier prints how values are copied. It numbers the variables of nested copies.
type copier struct {
	*file
	loops, copies, maps int
}

// assign returns the statements that make dst a deep copy of src.
func (c *copier) assign(copied *model.Copy, dst, src operand) []string {
	if whole, ok := c.whole(copied, src); ok {
		return append([]string{dst.value() + " = " + whole}, c.elements(copied, dst, src)...)
	}
	if copied.Op == model.CopyInto && !copied.Guarded {
		return c.fix(copied, dst, src)
	}
	return append([]string{dst.value() + " = " + src.value()}, c.fix(copied, dst, src)...)
}

// fix returns the statements that make dst a deep copy of src after dst was assigned src.
func (c *copier) fix(copied *model.Copy, dst, src operand) []string {
	if copied == nil {
		return nil
	}
	if whole, ok := c.whole(copied, src); ok {
		return append([]string{dst.value() + " = " + whole}, c.elements(copied, dst, src)...)
	}
	switch copied.Op {
	case model.CopyInto:
		call := []string{src.expr + ".DeepCopyInto(" + dst.address() + ")"}
		if copied.Guarded {
			return block("if "+src.value()+" != nil", call)
		}
		return call
	case model.CopyFields:
		var lines []string
		for _, field := range copied.Fields {
			lines = append(lines, c.fix(field.Copy, dst.field(c.name(field.Name)), src.field(field.Name))...)
		}
		return lines
	case model.CopyArray:
		return c.elements(copied, dst, src)
	}
	return block("if "+src.value()+" != nil", c.present(copied, dst, src))
}

// whole returns an expression for a copy of src, or of src without its elements.
func (c *copier) whole(copied *model.Copy, src operand) (string, bool) {
	switch {
	case copied == nil:
		return src.value(), true
	case copied.Op == model.CopyByCall && !copied.Guarded:
		return src.callee(copied) + "." + c.name(copied.Method) + "()", true
	case copied.Op == model.CopyByPointer:
		return "*" + src.expr + ".DeepCopy()", true
	case copied.Op == model.CopySlice:
		return c.Import("slices") + ".Clone(" + src.value() + ")", true
	case copied.Op == model.CopyMap && copied.Elem == nil:
		return c.Import("maps") + ".Clone(" + src.value() + ")", true
	}
	return "", false
}

// elements returns the loop that copies the elements of a slice or of an array.
func (c *copier) elements(copied *model.Copy, dst, src operand) []string {
	if copied == nil || copied.Elem == nil || copied.Op != model.CopySlice && copied.Op != model.CopyArray {
		return nil
	}
	i := string(rune('i' + c.loops))
	c.loops++
	defer func() { c.loops-- }()
	return block("for "+i+" := range "+src.value(), c.fix(copied.Elem, dst.index(i), src.index(i)))
}

// present returns the statements that copy a map, a pointer or an interface that is not nil.
func (c *copier) present(copied *model.Copy, dst, src operand) []string {
	name := c.variable("copied", c.copies)
	c.copies++
	defer func() { c.copies-- }()
	switch copied.Op {
	case model.CopyByCall:
		return []string{dst.value() + " = " + src.callee(copied) + "." + c.name(copied.Method) + "()"}
	case model.CopyPointer:
		elem := operand{src.selected(), true}
		if copied.Indirect {
			elem = operand{elem.selected(), false}
		}
		lines := c.declare(copied.Elem, name, elem)
		return append(lines, dst.value()+" = &"+name)
	}
	key, val := c.variable("key", c.maps), c.variable("val", c.maps)
	c.maps++
	defer func() { c.maps-- }()
	var body []string
	if whole, ok := c.whole(copied.Elem, operand{val, false}); ok && (copied.Elem.Op != model.CopySlice || copied.Elem.Elem == nil) {
		body = []string{dst.index(key).expr + " = " + whole}
	} else {
		body = append(c.declare(copied.Elem, name, operand{val, false}), dst.index(key).expr+" = "+name)
	}
	made := "make(" + string(c.GoType(copied.Type)) + ", len(" + src.value() + "))"
	if len(copied.Type) == 0 {
		made = c.Import("maps") + ".Clone(" + src.value() + ")"
	}
	lines := []string{dst.value() + " = " + made}
	return append(lines, block("for "+key+", "+val+" := range "+src.value(), body)...)
}

// declare returns the statements that declare a variable with a copy of src.
func (c *copier) declare(copied *model.Copy, name string, src operand) []string {
	dst := operand{name, false}
	if whole, ok := c.whole(copied, src); ok {
		return append([]string{name + " := " + whole}, c.elements(copied, dst, src)...)
	}
	return append([]string{name + " := " + src.value()}, c.fix(copied, dst, src)...)
}

func (c *copier) variable(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprint(name, n+1)
}

func block(head string, body []string) []string {
	return append(append([]string{head + " {"}, body...), "}")
}
