package applyconfig

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
)

// identity identifies a type with a name.
type identity struct {
	declared *types.TypeName
	// arguments are the type arguments of an instance of a generic type.
	arguments string
}

// identify returns the identity of a type, without aliases. It is zero for types without a name.
func identify(t types.Type) identity {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return identity{}
	}
	return identity{named.Obj(), canonicalList(named.TypeArgs())}
}

// canonical returns a text for a type, with import paths and without aliases. It is the same for identical types.
func canonical(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()].Name() // uint8 for byte
	case *types.Named:
		return types.TypeString(t.Origin().Obj().Type(), nil) + canonicalList(t.TypeArgs())
	case *types.Pointer:
		return "*" + canonical(t.Elem())
	case *types.Slice:
		return "[]" + canonical(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]", t.Len()) + canonical(t.Elem())
	case *types.Map:
		return "map[" + canonical(t.Key()) + "]" + canonical(t.Elem())
	case *types.Struct:
		var fields strings.Builder
		for i := range t.NumFields() {
			field := t.Field(i)
			fmt.Fprintf(&fields, "%s %t %s %q;", field.Id(), field.Embedded(), canonical(field.Type()), t.Tag(i))
		}
		return "struct{" + fields.String() + "}"
	default:
		return gotype.TypeName(t)
	}
}

func canonicalList(args *types.TypeList) (text string) {
	for arg := range args.Types() {
		text += canonical(arg) + ","
	}
	return text
}
