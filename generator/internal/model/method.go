package model

import (
	"go/token"
	"slices"
	"strings"
)

// Method is a method of a typed client beside the verbs, as +genclient:method
// says it.
type Method struct {
	Name string
	Verb Verb
	// Subresource is where the request goes; empty for the object itself. Callers of
	// a patch may name others: the methods of client-gen ignore this one, so that code
	// which was written for them names it, and still has to work.
	Subresource string
	// Input is what the method takes. Assemble makes it the kind where nothing is
	// said, and the apply configuration of it for the verb apply. It is without
	// effect for get, list and patch.
	Input TypeRef
	// Result is what the method returns. Assemble makes it the kind where nothing
	// is said, and the list of it for the verb list.
	Result TypeRef
	Pos    token.Position
}

// Has says whether the method is of a verb. It takes a string for templates.
func (m *Method) Has(verb string) bool { return m.Verb == Verb(verb) }

// TakesObject says whether the method has an Input.
func (m *Method) TakesObject() bool { return slices.Contains(inputVerbs, m.Verb) }

// MethodVerbs are the verbs that +genclient:method may name.
var MethodVerbs = []Verb{"get", "list", "create", "update", "patch", "apply"}

// inputVerbs are those of MethodVerbs that send an object.
var inputVerbs = []Verb{"create", "update", "apply"}

var methodKeys = []string{"verb", "subresource", "input", "result"}

// parseMethod reads a marker as far as that can be done without knowing its kind.
// It returns nil for one with mistakes, and notes these.
func parseMethod(m Marker, errs *Errors) *Method {
	before := len(errs.all)
	first, rest, hasRest := strings.Cut(m.Value, ",")
	method := &Method{Name: strings.TrimSpace(first), Pos: m.Pos}
	switch {
	case method.Name == "" || strings.Contains(first, "="):
		errs.Add(m.Pos, "+genclient:method does not begin with the name of the method; write it as in +genclient:method=GetScale,verb=get,subresource=scale")
		return nil
	case !token.IsIdentifier(method.Name) || !token.IsExported(method.Name):
		errs.Add(m.Pos, "method %q does not have an exported name; write letters and digits, and a capital letter first", method.Name)
		return nil
	}
	seen := map[string]bool{}
	for hasRest {
		var pair string
		pair, rest, hasRest = strings.Cut(rest, ",")
		key, value, hasValue := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !slices.Contains(methodKeys, key):
			errs.Add(m.Pos, "method %s: unknown key %q%s", method.Name, key, didYouMean(key, methodKeys))
		case !hasValue || value == "":
			errs.Add(m.Pos, "method %s: %s has no value; write %s=… or remove it", method.Name, key, key)
		case seen[key]:
			errs.Add(m.Pos, "method %s: %s is set twice; remove one of the two", method.Name, key)
		default:
			method.set(key, value, errs)
		}
		seen[key] = true
	}
	if !seen["verb"] {
		errs.Add(m.Pos, "method %s has no verb; write +genclient:method=%s,verb=%s", method.Name, method.Name, method.probableVerb())
	}
	if !method.Input.IsZero() && slices.Contains(MethodVerbs, method.Verb) && !method.TakesObject() {
		errs.Add(m.Pos, "method %s: verb %s sends no object, so input has no effect; remove it", method.Name, method.Verb)
	}
	if len(errs.all) > before {
		return nil
	}
	return method
}

// set takes the value of one of methodKeys.
func (m *Method) set(key, value string, errs *Errors) {
	switch key {
	case "verb":
		m.Verb = Verb(value)
		switch {
		case slices.Contains(MethodVerbs, m.Verb):
		case slices.Contains(Verbs, m.Verb) || slices.Contains(ApplyVerbs, m.Verb):
			errs.Add(m.Pos, "method %s: verb %s is not available for +genclient:method; use one of the verbs %s, or write the method by hand in an expansion of the client", m.Name, m.Verb, joined(MethodVerbs))
		default:
			errs.Add(m.Pos, "method %s: unknown verb %q%s", m.Name, value, didYouMean(value, MethodVerbs))
		}
	case "subresource":
		m.Subresource = value
		if !isSubresource(value) {
			errs.Add(m.Pos, "method %s: subresource %q is not a single part of a path; write one name of letters and digits, such as subresource=scale", m.Name, value)
		}
	case "input", "result":
		ref, ok := parseTypeRef(value)
		if !ok {
			errs.Add(m.Pos, "method %s: %s %q is not a type; write a type of this package, such as Scale, or one with its import path, such as k8s.io/api/autoscaling/v1.Scale", m.Name, key, value)
		}
		if key == "input" {
			m.Input = ref
		} else {
			m.Result = ref
		}
	}
}

// probableVerb is the one with which the name begins.
func (m *Method) probableVerb() Verb {
	for _, verb := range MethodVerbs {
		if strings.HasPrefix(strings.ToLower(m.Name), string(verb)) {
			return verb
		}
	}
	return "get"
}

// ExternalPaths are the packages that a marker names, whose names have to be
// known to Assemble.
func ExternalPaths(m Marker) []string {
	if ref, ok := m.viewed(); ok && ref.Path != "" {
		return []string{ref.Path}
	}
	if !m.Is("genclient:method") {
		return nil
	}
	method := parseMethod(m, &Errors{})
	if method == nil {
		return nil
	}
	var paths []string
	for _, ref := range []TypeRef{method.Input, method.Result} {
		if ref.Path != "" && !slices.Contains(paths, ref.Path) {
			paths = append(paths, ref.Path)
		}
	}
	return paths
}

// addMethods gives k its methods, whose types it resolves.
func (a *assembly) addMethods(t *Type, k *Kind, methods []*Method) {
	names := map[string]*Method{}
	for _, m := range methods {
		verb := lowerFirst(m.Name)
		switch other := names[m.Name]; {
		case other != nil:
			a.errs.Add(m.Pos, "kind %s has two methods %s, here and at %s; rename one of them", k.Name, m.Name, other.Pos)
		case k.Has(verb):
			a.errs.Add(m.Pos, "kind %s already has a method %s, that of verb %s; rename this one, or add +genclient:skipVerbs=%s", k.Name, m.Name, verb, verb)
		case slices.Contains(a.Naming.Reserved.Method, m.Name) || m.Name == k.Client() || m.Name == "Fake"+k.Client():
			a.errs.Add(m.Pos, "method %s of kind %s has a name that every generated client uses itself; rename the method", m.Name, k.Name)
		case a.resolve(t, k, m) && (m.Verb != "apply" || a.ApplyPackage != ""):
			k.Methods = append(k.Methods, m)
		}
		names[m.Name] = m
	}
}

// refuseUnreadable refuses methods of a dependency with types of a package that is not there: the user
// can add it, and a method must not come and go with that.
func (a *assembly) refuseUnreadable(t *Type, methods []*Method) {
	if !a.pkg.Dependency {
		return // addMethods does
	}
	for _, m := range methods {
		for _, ref := range []TypeRef{m.Result, m.Input} {
			if _, problem := a.declared(ref.Path); problem != "" {
				a.errs.Add(m.Pos, "method %s: cannot read package %s: %s; add it with go get %s, or %s", m.Name, ref.Path, reason(problem), ref.Path, a.leaveOut(t))
				break
			}
		}
	}
}

// dropMethods warns of the methods of a kind with +genclient:noVerbs, whose client
// has none, as with client-gen.
func (a *assembly) dropMethods(k *Kind, methods []*Method) {
	for _, m := range methods {
		a.warn(m.Pos, "method %s has no effect, because kind %s has +genclient:noVerbs; remove one of them", m.Name, k.Name)
	}
}

// resolve completes the types of m, and says whether there are all of them.
func (a *assembly) resolve(t *Type, k *Kind, m *Method) bool {
	before := len(a.errs.all)
	own := TypeRef{Path: k.GroupVersion.Path, Name: k.Name}
	complete := func(what string, ref TypeRef) TypeRef {
		local := ref.Path == ""
		if local {
			ref.Path = own.Path
		}
		switch isList := what == "result" && m.Verb == "list"; {
		case ref.Name == "" && isList && !t.HasList:
			problem, fix, _ := strings.Cut(t.ListProblem, "; ")
			a.errs.Add(t.ListPos, "kind %s %s, and method %s (%s) returns a list; %s, or write result=…", t.Name, problem, m.Name, m.Pos, fix)
			return ref
		case ref.Name == "" && isList:
			return TypeRef{own.Path, k.List()}
		case ref.Name == "":
			return own
		case isList:
			ref.Name += "List" // as client-gen has it
		}
		if problem := a.missing(ref, local); problem != "" {
			a.errs.Add(m.Pos, "method %s: %s: %s", m.Name, what, problem)
		}
		return ref
	}
	m.Result = complete("result", m.Result)
	if m.TakesObject() {
		m.Input = complete("input", m.Input)
	}
	if len(a.errs.all) > before {
		return false
	}
	if m.Verb == "apply" && a.ApplyPackage != "" {
		m.Input = a.applyConfiguration(m.Input)
		if problem := a.missing(m.Input, false); problem != "" {
			a.errs.Add(m.Pos, "method %s: %s, which the method takes; run applyconfiguration-gen for that type, or remove the method", m.Name, reason(problem))
			return false
		}
	}
	return true
}

// joined is a list of verbs for a message.
func joined(verbs []Verb) string {
	words := make([]string, len(verbs))
	for i, verb := range verbs {
		words[i] = string(verb)
	}
	return strings.Join(words, ", ")
}
