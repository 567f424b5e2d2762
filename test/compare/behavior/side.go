package behavior

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
)

// Package is one that both sides have.
type Package struct {
	// Name is its folder, such as core/v1.
	Name  string
	Types []Type
	Funcs []Func
}

// Type is the same type of both sides.
type Type struct {
	Name         string
	Theirs, Ours reflect.Type
}

// TypeOf returns the type of both sides.
func TypeOf[Theirs, Ours any](name string) Type {
	return Type{name, reflect.TypeFor[Theirs](), reflect.TypeFor[Ours]()}
}

// Func is the same function of both sides.
type Func struct {
	Name         string
	Theirs, Ours reflect.Value
}

// FuncOf returns the function of both sides.
func FuncOf[Theirs, Ours any](name string, theirs Theirs, ours Ours) Func {
	return Func{name, reflect.ValueOf(theirs), reflect.ValueOf(ours)}
}

// rounds are how often each type is filled anew.
const rounds = 3

// Run compares all packages, writes a line for each difference, and returns how many types and calls
// it has compared.
func Run(out io.Writer, forKind Func, packages []Package) (types, calls int) {
	c := checker{out: out, random: rand.New(rand.NewPCG(1, 2))}
	for _, pkg := range packages {
		c.pkg = pkg.Name
		var version reflect.Value
		for _, f := range pkg.Funcs {
			if object := c.constructor(f); object.IsValid() && !version.IsValid() {
				version = object
			}
		}
		for _, t := range pkg.Types {
			for range rounds {
				c.methods(t)
			}
			c.nilArguments(t)
			if version.IsValid() && forKind.Theirs.IsValid() {
				c.forKind(forKind, version, t)
			}
			types++
		}
	}
	return types, c.calls
}

type checker struct {
	out    io.Writer
	random *rand.Rand
	pkg    string
	calls  int
}

func (c *checker) report(format string, args ...any) {
	fmt.Fprintf(c.out, "%s %s\n", c.pkg, fmt.Sprintf(format, args...))
}

// equal reports whether two values have the same fields.
func (c *checker) equal(what string, theirs, ours reflect.Value) bool {
	converted, err := convert(theirs, ours.Type())
	switch {
	case err != nil:
		c.report("%s: %v", what, err)
		return false
	case !reflect.DeepEqual(converted.Interface(), ours.Interface()):
		c.report("%s: differs:\n\ttheirs %s\n\tours   %s", what, dump(converted), dump(ours))
		return false
	}
	return true
}

// methods calls each With function twice, in a random order. It calls the Get functions of an empty
// receiver, and of that at the end.
func (c *checker) methods(t Type) {
	c.getters(t, reflect.New(t.Theirs), reflect.New(t.Ours))
	theirs, ours := reflect.New(t.Theirs), reflect.New(t.Ours)
	var names []string
	for method := range theirs.Type().Methods() {
		// compare has reported a function that ours lacks.
		if strings.HasPrefix(method.Name, "With") && ours.MethodByName(method.Name).IsValid() {
			names = append(names, method.Name, method.Name)
		}
	}
	c.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		x, y := theirs.MethodByName(name), ours.MethodByName(name)
		theirArgs, ourArgs, err := c.arguments(x.Type(), y.Type())
		if err != nil {
			c.report("%s.%s: %v", t.Name, name, err)
			return
		}
		call(x, theirArgs)
		results := call(y, ourArgs)
		c.calls++
		if results[0].Pointer() != ours.Pointer() {
			c.report("%s.%s: the result is not the receiver", t.Name, name)
			return
		}
		for i := range theirArgs {
			if x.Type().IsVariadic() || theirArgs[i].Kind() == reflect.Map {
				spoil(theirArgs[i])
				spoil(ourArgs[i])
			}
		}
		if !c.equal(t.Name+"."+name, theirs, ours) {
			return
		}
	}
	c.getters(t, theirs, ours)
}

// getters compares the results of the Get functions. Those of theirs set an empty ObjectMeta if there is none,
// but those of ours must change nothing.
func (c *checker) getters(t Type, theirs, ours reflect.Value) {
	before, err := convert(ours.Elem(), t.Ours)
	if err != nil {
		c.report("%s: %v", t.Name, err)
		return
	}
	for method := range theirs.Type().Methods() {
		if !strings.HasPrefix(method.Name, "Get") || method.Type.NumIn() != 1 || !ours.MethodByName(method.Name).IsValid() {
			continue
		}
		x, y := theirs.MethodByName(method.Name).Call(nil), ours.MethodByName(method.Name).Call(nil)
		c.calls++
		c.equal(t.Name+"."+method.Name+": result", x[0], y[0])
		c.equal(t.Name+"."+method.Name+": receiver", before, ours.Elem())
	}
}

// arguments are random arguments of a function, and the same for the other side. The last one of
// a variadic function is a list.
func (c *checker) arguments(theirs, ours reflect.Type) (x, y []reflect.Value, err error) {
	for i := range theirs.NumIn() {
		theirArg := reflect.New(theirs.In(i)).Elem()
		fill(c.random, theirArg, depth)
		ourArg, err := convert(theirArg, ours.In(i))
		if err != nil {
			return nil, nil, err
		}
		if variadic := theirs.IsVariadic() && i == theirs.NumIn()-1; variadic {
			withoutNil(theirArg)
			withoutNil(ourArg)
		}
		x, y = append(x, theirArg), append(y, ourArg)
	}
	return x, y, nil
}

// withoutNil replaces nil pointers, which make functions panic.
func withoutNil(list reflect.Value) {
	for i := range list.Len() {
		if item := list.Index(i); item.Kind() == reflect.Pointer && item.IsNil() {
			item.Set(reflect.New(item.Type().Elem()))
		}
	}
}

func call(f reflect.Value, args []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

// nilArguments calls With functions with nil where they take any number of pointers.
func (c *checker) nilArguments(t Type) {
	theirs, ours := reflect.New(t.Theirs), reflect.New(t.Ours)
	for method := range theirs.Type().Methods() {
		x, y := theirs.MethodByName(method.Name), ours.MethodByName(method.Name)
		if !y.IsValid() || !x.Type().IsVariadic() || x.Type().In(0).Elem().Kind() != reflect.Pointer {
			continue
		}
		want := panicOf(func() { x.Call([]reflect.Value{reflect.Zero(x.Type().In(0).Elem())}) })
		got := panicOf(func() { y.Call([]reflect.Value{reflect.Zero(y.Type().In(0).Elem())}) })
		c.calls++
		if want != got {
			c.report("%s.%s(nil): theirs panics with %q, ours with %q", t.Name, method.Name, want, got)
		}
	}
}

// panicOf returns the value of a panic as text, or "" if there is none.
func panicOf(f func()) (text string) {
	defer func() {
		if value := recover(); value != nil {
			text = fmt.Sprint(value)
		}
	}()
	f()
	return ""
}

// constructor calls a function with strings, and returns its result if it is an object with a kind
// and a version. It ignores functions with other parameters.
func (c *checker) constructor(f Func) (object reflect.Value) {
	var args []reflect.Value
	for i := range f.Theirs.Type().NumIn() {
		if f.Theirs.Type().In(i) != reflect.TypeFor[string]() {
			return reflect.Value{}
		}
		args = append(args, reflect.ValueOf(fmt.Sprintf("argument%d", i)))
	}
	theirs, ours := f.Theirs.Call(args)[0], f.Ours.Call(args)[0]
	c.calls++
	c.equal(f.Name, theirs, ours)
	if theirs.Elem().FieldByName("APIVersion").IsValid() {
		return theirs
	}
	return reflect.Value{}
}

// forKind compares what ForKind returns for a type, whose version is that of an object.
func (c *checker) forKind(f Func, object reflect.Value, t Type) {
	gvk := reflect.New(f.Theirs.Type().In(0)).Elem()
	version := object.Elem().FieldByName("APIVersion").Elem().String()
	group, name, found := strings.Cut(version, "/")
	if !found {
		group, name = "", version
	}
	gvk.FieldByName("Group").SetString(group)
	gvk.FieldByName("Version").SetString(name)
	gvk.FieldByName("Kind").SetString(strings.TrimSuffix(t.Name, "ApplyConfiguration"))
	theirs, ours := f.Theirs.Call([]reflect.Value{gvk})[0], f.Ours.Call([]reflect.Value{gvk})[0]
	c.calls++
	switch {
	case theirs.IsNil() && ours.IsNil():
	case theirs.IsNil() || ours.IsNil():
		c.report("ForKind(%v): theirs %v, ours %v", gvk, theirs, ours)
	case theirs.Elem().Type().Elem() != t.Theirs: // a type of another package has this kind
	case ours.Elem().Type().Elem() != t.Ours:
		c.report("ForKind(%v): is a %s", gvk, ours.Elem().Type())
	}
}
