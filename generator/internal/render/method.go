package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// verb has the texts of the methods of a verb of +genclient:method. $Kind and $Plural stand for names
// of the kind, $Input for the type of obj, and $sub for the subresource.
type verb struct {
	// params are the parameters after ctx and, if there is one, name.
	params string
	// request begins the chain of calls that sends a request. name is the argument of Name without a
	// subresource, and body is the call before Do; they may be empty.
	request, name, body string
	// doc continues the comment, and action is the action of a fake, both without a subresource.
	doc, action string
	// subDoc and subAction are the same with a subresource.
	subDoc, subAction string
}

const (
	whole       = "the $Kind with the given name"
	part        = "the $sub subresource of " + whole
	target      = "(c.Resource(), c.Namespace(), "
	listAction  = "NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)"
	patchAction = "NewPatchSubresourceActionWithOptions" + target + "name, "
)

var verbs = map[model.Verb]verb{
	"get": {"opts metav1.GetOptions", "c.GetClient().Get()", "name", "",
		"gets " + whole, "NewGetActionWithOptions" + target + "name, opts)",
		"gets " + part, "NewGetSubresourceActionWithOptions" + target + `"$sub", name, opts)`},
	"list": {"opts metav1.ListOptions", "c.GetClient().Get()", "", "Timeout(timeout)",
		"lists the $Plural that match opts", listAction,
		"lists " + part, listAction + "\naction.Name, action.Subresource = name, \"$sub\""},
	"create": {"obj *$Input, opts metav1.CreateOptions", "c.GetClient().Post()", "", "Body(obj)",
		"creates a $Kind from obj", "NewCreateActionWithOptions" + target + "obj, opts)",
		"creates " + part, `NewCreateSubresourceActionWithOptions(c.Resource(), name, "$sub", c.Namespace(), obj, opts)`},
	"update": {"obj *$Input, opts metav1.UpdateOptions", "c.GetClient().Put()", "obj.GetName()", "Body(obj)",
		"replaces the $Kind with the name of obj", "NewUpdateActionWithOptions" + target + "obj, opts)",
		"replaces " + part, `NewUpdateSubresourceActionWithOptions(c.Resource(), "$sub", c.Namespace(), obj, opts)`},
	"patch": {"pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string",
		"c.GetClient().Patch(pt)", "name", "Body(data)",
		"patches " + whole + ", or the given subresource of it", patchAction + "pt, data, opts, subresources...)",
		"patches " + part + ",\n// or the one that subresources name", patchAction + "pt, data, opts, subresources...)"},
	"apply": {"obj *$Input, opts metav1.ApplyOptions", "request", "*name", "",
		"applies obj to the $Kind with the name of obj",
		"NewPatchActionWithOptions" + target + "*name, types.ApplyPatchType, data, opts.ToPatchOptions())",
		"applies obj to " + part, patchAction + `types.ApplyPatchType, data, opts.ToPatchOptions(), "$sub")`},
}

// signature is a method of the file's kind, as templates see it.
type signature struct {
	*model.Method
	// Params are the parameters after ctx.
	Params     code
	ResultType string
	// Comment continues the comment after the name of the method.
	Comment code
	// Action is the action of a fake, after the package.
	Action code
	file   *file
	verb   verb
}

// Methods returns the methods of the file's kind in addition to its verbs.
func (f *file) Methods() []signature {
	var all []signature
	for _, m := range f.Kind.Methods {
		v := verbs[m.Verb]
		input := ""
		if m.TakesObject() {
			input = f.Type(m.Input)
		}
		fill := strings.NewReplacer("$Kind", f.name(f.Kind.Name), "$Plural", f.name(f.Kind.Plural), "$Input", input,
			`"$sub"`, strconv.Quote(m.Subresource), "$sub", string(comment(m.Subresource))).Replace
		s := signature{
			Method: m, Params: code(fill(v.params)), ResultType: f.Type(m.Result), Comment: code(fill(v.doc)), Action: code(fill(v.action)),
			file: f, verb: v,
		}
		if m.Subresource != "" {
			s.Comment, s.Action = code(fill(v.subDoc)), code(fill(v.subAction))
		}
		if v.name == "name" || m.Subresource != "" {
			s.Params = "name string, " + s.Params
		}
		all = append(all, s)
	}
	return all
}

// Request returns the calls that send the request of the method and decode the result, joined by
// dots.
func (s signature) Request() code {
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
	add(s.file.Kind.Protobuf, "UseProtobufAsDefault()")
	add(s.file.Kind.Namespaced, "Namespace(c.GetNamespace())")
	add(true, "Resource("+strconv.Quote(s.file.Kind.Resource)+")")
	add(name != "", "Name("+name+")")
	add(s.Subresource != "" || s.Has("patch"), "SubResource("+subresource+")")
	add(true, "VersionedParams(&"+opts+", "+s.file.Scheme()+".ParameterCodec)")
	add(s.verb.body != "", s.verb.body)
	return code(strings.Join(append(calls, "Do(ctx)", "Into(result)"), ".\n"))
}

// otherRequest is a request of a client whose body or response is not usual for its verb and kind.
type otherRequest struct {
	// Resource is an expression for the resource.
	Resource          code
	Verb, Subresource string
	// Input is the type of the body if it is not the kind, or empty.
	Input string
}

// OtherRequests returns the other requests of all clients. A reactor of the fake clientset has to
// get the object that the method was called with, and the verb of the method.
func (f *file) OtherRequests() []otherRequest {
	var all []otherRequest
	seen := map[otherRequest]bool{}
	for _, k := range f.Set.Kinds() {
		for _, m := range k.Methods {
			resource := code(fmt.Sprintf("%s.WithResource(%q)", f.GroupVersion(k.Package), k.Resource))
			r := otherRequest{Resource: resource, Verb: string(m.Verb), Subresource: m.Subresource}
			if m.Verb != "apply" && m.TakesObject() && m.Input != k.Ref() {
				r.Input = f.Type(m.Input)
			}
			if isList := m.Verb == "list" && m.Subresource != ""; !isList && r.Input == "" || seen[r] {
				continue
			}
			seen[r] = true
			all = append(all, r)
		}
	}
	return all
}
