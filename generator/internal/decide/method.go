package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// addMethods adds the methods to k and resolves their types.
func (a *assembly) addMethods(t *input.Type, k *model.Kind, methods []*model.Method) {
	names := map[string]*model.Method{}
	for _, m := range methods {
		verb := lowerFirst(m.Name)
		switch other := names[m.Name]; {
		case other != nil:
			a.errs.Add(m.Pos, "kind %s has two methods %s, here and at %s; rename one of them", k.Name, m.Name, other.Pos)
		case k.Has(verb):
			a.errs.Add(m.Pos, "kind %s already has a method %s, which is the method of verb %s; "+
				"rename this one, or add +genclient:skipVerbs=%s", k.Name, m.Name, verb, verb)
		case slices.Contains(a.naming.reserved.Method, m.Name) || m.Name == k.Client() || m.Name == "Fake"+k.Client():
			a.errs.Add(m.Pos, "method %s of kind %s has a name that every generated client uses itself; rename the method", m.Name, k.Name)
		case a.resolve(t, k, m) && (m.Verb != "apply" || a.ApplyPackage != ""):
			k.Methods = append(k.Methods, m)
		}
		names[m.Name] = m
	}
}

// refuseUnreadable refuses methods of a dependency with types of a missing package. The user can
// add the package, and that must not change the methods.
func (a *assembly) refuseUnreadable(t *input.Type, methods []*model.Method) {
	if !a.pkg.Dependency {
		return // addMethods refuses them
	}
	for _, m := range methods {
		for _, ref := range []model.TypeRef{m.Result, m.Input} {
			if _, problem := a.declared(ref.Path); problem != "" {
				a.errs.Add(m.Pos, "method %s: cannot read package %s: %s; add it with %s, or %s", m.Name, ref.Path, withoutFix(problem),
					terminal.Quote("go", "get", ref.Path), a.leaveOut(t))
				break
			}
		}
	}
}

// resolve completes the types of m. It reports whether they all exist.
func (a *assembly) resolve(t *input.Type, k *model.Kind, m *model.Method) bool {
	before := a.errs.Len()
	own := k.Ref()
	complete := func(what string, ref model.TypeRef) model.TypeRef {
		local := ref.Path == ""
		if local {
			ref.Path = own.Path
		}
		switch isList := what == "result" && m.Verb == "list"; {
		case ref.Name == "" && isList && !t.HasList && !k.NeedsList(): // otherwise the missing list is reported
			problem, fix, _ := strings.Cut(t.ListProblem, "; ")
			a.errs.Add(t.ListPos, "kind %s %s, and method %s (%s) returns a list; %s, or write result=…", t.Name, problem, m.Name,
				m.Pos, a.withoutFlags(fix))
			return ref
		case ref.Name == "" && isList:
			return model.TypeRef{Path: own.Path, Name: k.List()}
		case ref.Name == "":
			return own
		case isList:
			if names, _ := a.declared(ref.Path); names[ref.Name] && !names[ref.Name+"List"] && strings.HasSuffix(ref.Name, "List") {
				written := strings.TrimPrefix(m.Result.Path+"."+m.Result.Name, ".")
				a.errs.Add(m.Pos, "method %s: result=%s names a list type, but verb list adds List to the name in result; "+
					"write result=%s", m.Name, written, strings.TrimSuffix(written, "List"))
				return ref
			}
			ref.Name += "List" // as client-gen has it
		}
		problem := a.missing(ref, local)
		if meant, ok := strings.CutSuffix(problem, "List?"); ok && what == "result" && m.Verb == "list" {
			problem = meant + "?" // whose list type it is
		}
		if problem == "" {
			problem = a.unusable(ref, m, what)
		}
		if problem != "" {
			a.errs.Add(m.Pos, "method %s: %s: %s", m.Name, what, problem)
		}
		return ref
	}
	m.Result = complete("result", m.Result)
	if m.TakesObject() {
		m.Input = complete("input", m.Input)
	}
	if a.errs.Len() > before {
		return false
	}
	if m.Verb != "apply" || a.ApplyPackage == "" {
		return true
	}
	of := m.Input
	isChecked := of == own && k.NeedsApply()
	m.Input = a.applyInput(of)
	switch problem := a.missing(m.Input, false); {
	case m.Input.IsZero():
		a.errs.Add(m.Pos, "method %s takes the apply configuration of %s.%s, which this run does not generate; "+
			"name package %s too, or name the package that has it with --applyconfig-externals=%s.%s:…",
			m.Name, of.Path, of.Name, of.Path, of.Path, of.Name)
	case problem == "", isChecked, a.lacksApplyPackage():
		return true
	case a.GeneratesApply():
		a.errs.Add(m.Pos, "method %s: %s, which the method takes; name the package that has it with --applyconfig-externals=%s.%s:…, "+
			"or remove the method", m.Name, withoutFix(problem), of.Path, of.Name)
	default:
		a.errs.Add(m.Pos, "method %s: %s, which the method takes; run applyconfiguration-gen for that type, or remove the method",
			m.Name, withoutFix(problem))
	}
	return false
}

// unusable returns the reason why clients cannot use an existing type as the input or the result of a method, and the
// fix, or "".
func (a *assembly) unusable(ref model.TypeRef, m *model.Method, what string) string {
	pkg := a.described(ref.Path)
	if pkg == nil {
		return ""
	}
	lacks := func(method string) bool { return slices.Contains(pkg.Lacking[ref.Name], method) }
	isObject := what == "result" || m.Verb != "apply" // what apply sends is another type
	name := fmt.Sprintf("type %s of package %s", ref.Name, ref.Path)
	fix := "write a type that has it"
	switch {
	case isObject && lacks("GetObjectKind"):
		if !pkg.Dependency {
			fix = "add to it: metav1.TypeMeta `json:\",inline\"`"
		}
		return name + " does not embed metav1.TypeMeta; " + fix
	case isObject && lacks("DeepCopyObject"):
		switch {
		case pkg.Dependency:
		case a.DeepCopy && a.externals[ref.Path] != nil:
			fix = "name that package too, so that --deepcopy writes it"
		case a.DeepCopy:
			fix = "write it where the type is declared" // an alias, a generic type, or no struct
		default:
			fix = input.DeepCopyFix
		}
		return name + " has no method DeepCopyObject; " + fix
	case what == "input" && m.Verb == "update" && m.Subresource == "" && lacks("GetName"):
		if !pkg.Dependency {
			fix = "add to it: metav1.ObjectMeta `json:\"metadata,omitempty\"`, or write subresource=…"
		}
		return name + " has no method GetName, which gives the request its URL; " + fix
	}
	return ""
}
