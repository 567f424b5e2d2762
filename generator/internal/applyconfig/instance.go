package applyconfig

import (
	"crypto/sha256"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// isInstance reports whether c needs a name for an instance of a generic type.
func (c *config) isInstance() bool { return c.of.TypeArgs().Len() > 0 && c.out.Kind == nil }

// nameInstances gives each instance of a generic type a name that no other type of its package has. It is the first
// that does of: spelled, exactName and hashedName. If two instances would get one name, both try the next one, so
// that names do not depend on an order.
func (a *assembly) nameInstances() {
	taken := map[homeName]bool{}
	var unnamed []*config
	for _, c := range a.all {
		if c.isInstance() {
			unnamed = append(unnamed, c)
		} else {
			c.take(taken)
		}
	}
	for _, nameOf := range []func(*config) string{spelled, exactName, hashedName} {
		unnamed = nameAll(unnamed, nameOf, taken)
	}
}

// homeName is a name in the package for the apply configurations of a package.
type homeName struct {
	home *home
	name string
}

// names returns the names that c declares in its package.
func (c *config) names() (names []homeName) {
	for _, name := range topLevel(c.out) {
		names = append(names, homeName{c.home, name})
	}
	return names
}

func (c *config) take(taken map[homeName]bool) {
	for _, name := range c.names() {
		taken[name] = true
	}
}

// maxFileName is how many bytes common file systems allow in the name of a file.
const maxFileName = 255

// nameAll gives names to those instances for which nameOf returns one that is free and not too long. It returns the
// others.
func nameAll(instances []*config, nameOf func(*config) string, taken map[homeName]bool) (unnamed []*config) {
	users := map[homeName]int{}
	for _, c := range instances {
		c.setName(nameOf(c))
		for _, name := range c.names() {
			users[name]++
		}
	}
	var named []*config
	for _, c := range instances {
		isUsed := func(name homeName) bool { return taken[name] || users[name] > 1 }
		if len(c.out.File+".go") > maxFileName || slices.ContainsFunc(c.names(), isUsed) {
			unnamed = append(unnamed, c)
		} else {
			named = append(named, c)
		}
	}
	for _, c := range named {
		c.take(taken)
	}
	return unnamed
}

func (c *config) setName(name string) { c.out.Name, c.out.File = name, fileName(name) }

func spelled(c *config) string { return c.spelled }

// spelledName returns the name of a generic type and the words of its type arguments, as the source writes these.
// Different instances may have the same words: those of string and *string.
func spelledName(t *types.Named) string {
	name := upperFirst(t.Obj().Name())
	for arg := range t.TypeArgs().Types() {
		name += words(types.TypeString(arg, func(*types.Package) string { return "" }))
	}
	return name
}

// words returns the letters and digits of a text. Each word of them begins with an upper-case letter.
func words(text string) (joined string) {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(text, isSeparator) {
		joined += upperFirst(word)
	}
	return joined
}

// exactName returns the name of a generic type and of its type arguments. It has words for pointers, slices and
// arrays, and for the packages of types of other packages. Structs without a name have a hash.
func exactName(c *config) string {
	name := upperFirst(c.of.Obj().Name())
	for arg := range c.of.TypeArgs().Types() {
		name += exactWords(arg, c.home.pkg.Path)
	}
	return name
}

func exactWords(t types.Type, home string) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := words(t.Obj().Name())
		if pkg := t.Obj().Pkg(); pkg != nil && pkg.Path() != home {
			name = words(model.ApplyDir(pkg.Path())) + name
		}
		for arg := range t.TypeArgs().Types() {
			name += exactWords(arg, home)
		}
		return name
	case *types.Pointer:
		return "Pointer" + exactWords(t.Elem(), home)
	case *types.Slice:
		return "Slice" + exactWords(t.Elem(), home)
	case *types.Array:
		return fmt.Sprintf("Array%d", t.Len()) + exactWords(t.Elem(), home)
	case *types.Map:
		return "Map" + exactWords(t.Key(), home) + exactWords(t.Elem(), home)
	case *types.Struct:
		return "Struct" + hashOf(t)
	default:
		return words(canonical(t))
	}
}

// maxPrefix is how many bytes of the words hashedName keeps.
const maxPrefix = 64

// hashedName returns the beginning of the words of an instance, and a hash of the instance. It is short.
func hashedName(c *config) string {
	prefix := c.spelled[:min(len(c.spelled), maxPrefix)]
	return strings.ToValidUTF8(prefix, "") + hashOf(c.of)
}

// hashOf returns eight digits and upper-case letters. Identical types have the same.
func hashOf(t types.Type) string {
	hash := sha256.Sum256([]byte(canonical(t)))
	return fmt.Sprintf("%X", hash[:4])
}
