package render

import (
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// verb is how the methods of a verb of +genclient:method are written. The texts have placeholders:
// $Kind and $Plural are names of the kind, $Input is the type of obj, and $sub is the subresource.
type verb struct {
	// params are the parameters after ctx and name. named reports whether there is a name even
	// without a subresource.
	params string
	named  bool
	// request begins the chain of calls that sends a request, and tail is the call before Do; it
	// may be empty. name is the argument of Name without a subresource; empty if there is none.
	request, name, tail string
	// doc continues the comment, and action is the action of a fake, without a subresource.
	doc, action string
	// subDoc and subAction are the same with a subresource.
	subDoc, subAction string
}

const (
	whole = "the $Kind with the given name"
	part  = "the $sub subresource of " + whole
)

var verbs = map[model.Verb]verb{
	"get": {
		params: "opts metav1.GetOptions", named: true,
		request: "c.GetClient().Get()", name: "name",
		doc:       "gets " + whole,
		action:    `NewGetActionWithOptions(c.Resource(), c.Namespace(), name, opts)`,
		subDoc:    "gets " + part,
		subAction: `NewGetSubresourceActionWithOptions(c.Resource(), c.Namespace(), "$sub", name, opts)`,
	},
	"list": {
		params:  "opts metav1.ListOptions",
		request: "c.GetClient().Get()", tail: "Timeout(timeout)",
		doc:    "lists the $Plural that match opts",
		action: `NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)`,
		subDoc: "lists " + part,
		subAction: `NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)
	action.Name, action.Subresource = name, "$sub"`,
	},
	"create": {
		params:  "obj *$Input, opts metav1.CreateOptions",
		request: "c.GetClient().Post()", tail: "Body(obj)",
		doc:       "creates a $Kind from obj",
		action:    `NewCreateActionWithOptions(c.Resource(), c.Namespace(), obj, opts)`,
		subDoc:    "creates " + part,
		subAction: `NewCreateSubresourceActionWithOptions(c.Resource(), name, "$sub", c.Namespace(), obj, opts)`,
	},
	"update": {
		params:  "obj *$Input, opts metav1.UpdateOptions",
		request: "c.GetClient().Put()", name: "obj.GetName()", tail: "Body(obj)",
		doc:       "replaces the $Kind with the name of obj",
		action:    `NewUpdateActionWithOptions(c.Resource(), c.Namespace(), obj, opts)`,
		subDoc:    "replaces " + part,
		subAction: `NewUpdateSubresourceActionWithOptions(c.Resource(), "$sub", c.Namespace(), obj, opts)`,
	},
	"patch": {
		params: "pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string", named: true,
		request: "c.GetClient().Patch(pt)", name: "name", tail: "Body(data)",
		doc:       "patches " + whole + ", or the given subresource of it",
		action:    `NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, pt, data, opts, subresources...)`,
		subDoc:    "patches " + part + ",\n// or the one that subresources name",
		subAction: `NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, pt, data, opts, subresources...)`,
	},
	"apply": {
		params:  "obj *$Input, opts metav1.ApplyOptions",
		request: "request", name: "*name",
		doc:       "applies obj to the $Kind with the name of obj",
		action:    `NewPatchActionWithOptions(c.Resource(), c.Namespace(), *name, types.ApplyPatchType, data, opts.ToPatchOptions())`,
		subDoc:    "applies obj to " + part,
		subAction: `NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, types.ApplyPatchType, data, opts.ToPatchOptions(), "$sub")`,
	},
}

// signature is a method of the file's kind, as templates see it.
type signature struct {
	*model.Method
	// Params are the parameters after ctx.
	Params     string
	ResultType string
	// Comment continues the comment after the name of the method.
	Comment string
	// Action is the action of a fake, after the package.
	Action string
	file   *file
	verb   verb
}

// Methods returns the methods of the file's kind beside its verbs.
func (f *file) Methods() []signature {
	var all []signature
	for _, m := range f.Kind.Methods {
		v := verbs[m.Verb]
		input := ""
		if m.TakesObject() {
			input = f.Type(m.Input)
		}
		fill := strings.NewReplacer("$Kind", f.Kind.Name, "$Plural", f.Kind.Plural, "$Input", input, "$sub", m.Subresource).Replace
		s := signature{Method: m, Params: fill(v.params), ResultType: f.Type(m.Result), Comment: fill(v.doc), Action: fill(v.action), file: f, verb: v}
		if m.Subresource != "" {
			s.Comment, s.Action = fill(v.subDoc), fill(v.subAction)
		}
		if v.named || m.Subresource != "" {
			s.Params = "name string, " + s.Params
		}
		all = append(all, s)
	}
	return all
}

// Request returns the calls that send the request of the method and decode the result, joined by
// dots.
func (s signature) Request() string {
	calls := []string{s.verb.request}
	add := func(when bool, call string) {
		if when {
			calls = append(calls, call)
		}
	}
	name, subresource, opts := s.verb.name, strconv.Quote(s.Subresource), "opts"
	if s.Subresource != "" {
		name = "name"
	}
	if s.Has("patch") {
		subresource = "subresources..."
	}
	if s.Has("apply") {
		opts = "patchOpts"
	}
	add(s.file.PrefersProtobuf, "UseProtobufAsDefault()")
	add(s.file.Kind.Namespaced, "Namespace(c.GetNamespace())")
	add(true, "Resource("+strconv.Quote(s.file.Kind.Resource)+")")
	add(name != "", "Name("+name+")")
	add(s.Subresource != "" || s.Has("patch"), "SubResource("+subresource+")")
	add(true, "VersionedParams(&"+opts+", "+s.file.Scheme()+".ParameterCodec)")
	add(s.verb.tail != "", s.verb.tail)
	return strings.Join(append(calls, "Do(ctx)", "Into(result)"), ".\n")
}
