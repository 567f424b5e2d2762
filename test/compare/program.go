package compare

import (
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// applyFolder is that of the apply configurations in a tree.
const applyFolder = "applyconfiguration"

// BehaviorProgram returns a program that compares what the functions of the apply configurations
// of two trees do. It calls those that both trees have, except for the methods of types that API
// reports. It prints a line for each difference, and at last how many types and calls it has
// compared.
func BehaviorProgram(theirs, ours *Tree) ([]byte, error) {
	differs := map[string]bool{} // by package and name
	for _, difference := range API(theirs, ours) {
		name, _, _ := strings.Cut(strings.TrimPrefix(difference.Name, "*"), ".")
		differs[difference.Package+" "+name] = true
	}
	imports, body := strings.Builder{}, strings.Builder{}
	aliases := 0
	for _, name := range slices.Sorted(maps.Keys(theirs.Packages)) {
		folder, ok := strings.CutPrefix(name, applyFolder+"/")
		their, our := theirs.Packages[name], ours.Packages[name]
		if !ok || folder == "internal" || our == nil {
			continue
		}
		aliases++
		fmt.Fprintf(&imports, "\ttheirs%d %q\n\tours%[1]d %[3]q\n", aliases, path.Join(theirs.Path, name), path.Join(ours.Path, name))
		fmt.Fprintf(&body, "\t\t{Name: %q, Types: []behavior.Type{\n", folder)
		both := func(isType bool) (names []string) {
			for _, object := range their.Scope().Names() {
				_, theirType := their.Scope().Lookup(object).(*types.TypeName)
				other := our.Scope().Lookup(object)
				_, ourType := other.(*types.TypeName)
				if other != nil && other.Exported() && !differs[name+" "+object] && theirType == isType && ourType == isType {
					names = append(names, object)
				}
			}
			return names
		}
		for _, object := range both(true) {
			fmt.Fprintf(&body, "\t\t\tbehavior.TypeOf[theirs%d.%s, ours%[1]d.%[2]s](%[2]q),\n", aliases, object)
		}
		body.WriteString("\t\t}, Funcs: []behavior.Func{\n")
		for _, object := range both(false) {
			fmt.Fprintf(&body, "\t\t\tbehavior.FuncOf(%q, theirs%d.%[1]s, ours%[2]d.%[1]s),\n", object, aliases)
		}
		body.WriteString("\t\t}},\n")
	}
	source := fmt.Sprintf(`package main

import (
	"fmt"
	"os"

	"github.com/typedinformers/informer-gen/test/compare/behavior"
	theirs %q
	ours %q
%s)

func main() {
	types, calls := behavior.Run(os.Stdout, behavior.FuncOf("ForKind", theirs.ForKind, ours.ForKind), []behavior.Package{
%s	})
	fmt.Printf("%%d types, %%d calls\n", types, calls)
}
`, path.Join(theirs.Path, applyFolder), path.Join(ours.Path, applyFolder), imports.String(), body.String())
	return format.Source([]byte(source))
}
