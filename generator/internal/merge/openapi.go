package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// document is an OpenAPI document. It decodes only the definitions that kinds need: a server has thousands.
type document struct {
	file        string
	content     []byte
	definitions map[string]json.RawMessage
	// byKind has the names of definitions by kind. It is nil until a kind is not found by its name.
	byKind map[groupVersionKind]string
	// types are the definitions that were needed.
	types map[string]model.SchemaAtom
	errs  *model.Errors
}

var quantity = model.TypeRef{Path: "k8s.io/apimachinery/pkg/api/resource", Name: "Quantity"}

type groupVersionKind struct{ Group, Version, Kind string }

// openDocument reads a file with an OpenAPI document, of version 2 or 3. If the file has none, it adds a
// mistake and returns nil.
func openDocument(file string, errs *model.Errors) *document {
	d := &document{file: file, types: map[string]model.SchemaAtom{}, errs: errs}
	const fix = "name a file with the output of kubectl get --raw /openapi/v2"
	var err error
	if d.content, err = regular.ReadFile(file); err != nil {
		errs.Add(token.Position{Filename: file}, "cannot read this file of --applyconfig-openapi-schema: %v; %s",
			regular.WithoutPath(err), fix)
		return nil
	}
	var parsed struct {
		Definitions map[string]json.RawMessage
		Components  struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(d.content, &parsed); err != nil {
		errs.Add(d.position(offsetOf(err)), "this file of --applyconfig-openapi-schema is not JSON as in an OpenAPI document: %s; %s",
			reason(err), fix)
		return nil
	}
	d.definitions = parsed.Definitions
	if len(d.definitions) == 0 {
		d.definitions = parsed.Components.Schemas
	}
	if len(d.definitions) == 0 {
		errs.Add(token.Position{Filename: file}, "this file of --applyconfig-openapi-schema has no definitions; %s", fix)
		return nil
	}
	return d
}

// offsetOf returns where the decoder found a mistake.
func offsetOf(err error) int {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset) - 1
	case errors.As(err, &mismatch):
		return int(mismatch.Offset) - 1
	}
	return 0
}

// reason returns an error of the decoder without the names of Go types.
func reason(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return "unexpected " + mismatch.Value
	}
	return err.Error()
}

func (d *document) position(offset int) token.Position {
	before := d.content[:min(max(offset, 0), len(d.content))]
	line, column := 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')
	return token.Position{Filename: d.file, Line: line, Column: column}
}

// add adds the definition of a kind under a name, and those that it needs. It reports whether there is one.
func (d *document) add(name string, k *model.Kind) bool {
	defined := name
	if d.definitions[name] == nil {
		// A server derives the names of custom resources from their groups.
		if defined = d.kinds()[groupVersionKind{k.GroupVersion.Group.Name, k.GroupVersion.Version, k.Name}]; defined == "" {
			return false
		}
	}
	d.addDefinition(defined)
	if defined != name {
		d.types[name] = d.types[defined]
	}
	return true
}

// kinds returns the names of the definitions of kinds.
func (d *document) kinds() map[groupVersionKind]string {
	if d.byKind != nil {
		return d.byKind
	}
	d.byKind = map[groupVersionKind]string{}
	const extension = "x-kubernetes-group-version-kind"
	for _, name := range slices.Sorted(maps.Keys(d.definitions)) {
		if !bytes.Contains(d.definitions[name], []byte(extension)) {
			continue
		}
		var kinds struct {
			Kinds []groupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if json.Unmarshal(d.definitions[name], &kinds) == nil && len(kinds.Kinds) == 1 {
			d.byKind[kinds.Kinds[0]] = name
		}
	}
	return d.byKind
}

// addDefinition converts a definition and those that it refers to.
func (d *document) addDefinition(name string) {
	if _, ok := d.types[name]; ok {
		return
	}
	text := d.definitions[name]
	d.types[name] = model.SchemaAtom{} // for definitions that refer to themselves
	var defined definition
	if err := json.Unmarshal(text, &defined); err != nil {
		d.errs.Add(d.position(d.offset(text)+offsetOf(err)), "definition %s is not a schema of OpenAPI: %s; "+
			"export the document again, or correct it", name, reason(err))
		return
	}
	r := definitionReader{document: d, name: name}
	s := r.schema(&defined)
	switch {
	case name == quantity.OpenAPIName():
		d.types[name] = model.SchemaAtom{Scalar: "untyped"}
	case (converter{isDocument: true}).isFree(s):
		d.types[name] = anyValue()
	default:
		d.types[name] = converter{isDocument: true}.atom(s, within{})
	}
	for _, other := range r.refs {
		d.addDefinition(other)
	}
	if s.Ref != "" {
		d.types[name] = d.types[s.Ref]
	}
}

// offset returns where a part of the document begins.
func (d *document) offset(part []byte) int { return max(bytes.Index(d.content, part), 0) }

// definition is a schema in an OpenAPI document.
type definition struct {
	Ref        string `json:"$ref"`
	AllOf      []*definition
	Type       typeNames
	Format     string
	Properties map[string]*definition
	Items      *definition
	Additional json.RawMessage `json:"additionalProperties"`
	Default    json.RawMessage
	ListType   string   `json:"x-kubernetes-list-type"`
	MapKeys    []string `json:"x-kubernetes-list-map-keys"`
	MapType    string   `json:"x-kubernetes-map-type"`
	Strategy   string   `json:"x-kubernetes-patch-strategy"`
	MergeKey   string   `json:"x-kubernetes-patch-merge-key"`
	Preserves  bool     `json:"x-kubernetes-preserve-unknown-fields"`
}

// typeNames is a type, or a list of types.
type typeNames []string

func (t *typeNames) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(typeNames, 1)
	return json.Unmarshal(text, &(*t)[0])
}

// definitionReader turns one definition into a schema.
type definitionReader struct {
	*document
	name string
	// refs are the definitions that it refers to.
	refs []string
}

func (r *definitionReader) schema(in *definition) *input.JSONSchema {
	s := &input.JSONSchema{
		Format: in.Format, PatchStrategy: in.Strategy, PatchMergeKey: in.MergeKey, PreservesUnknown: in.Preserves,
		ListType: input.Placed{Value: in.ListType}, MapType: input.Placed{Value: in.MapType},
		HasProperties: in.Properties != nil,
	}
	ref := in.Ref
	if ref == "" && len(in.AllOf) == 1 {
		ref = in.AllOf[0].Ref // so that a reference has a default
	}
	if ref != "" {
		s.Ref = path.Base(ref)
		if r.definitions[s.Ref] == nil {
			r.add(`"`+ref+`"`, "definition %s refers to %q, which the document does not define", r.name, ref)
			s.Ref = untypedAtomic
			return s
		}
		r.refs = append(r.refs, s.Ref)
	}
	if len(in.Type) > 0 {
		s.Type = in.Type[0]
	}
	if string(in.Default) != "null" {
		s.Default = scalarJSON(in.Default)
	}
	for _, key := range in.MapKeys {
		s.MapKeys = append(s.MapKeys, input.Placed{Value: key})
	}
	r.check(s)
	for _, name := range slices.Sorted(maps.Keys(in.Properties)) {
		s.Properties = append(s.Properties, input.JSONProperty{Name: input.Placed{Value: name}, Schema: r.schema(in.Properties[name])})
	}
	if in.Items != nil {
		s.Items = r.schema(in.Items)
	}
	switch additional := string(in.Additional); additional {
	case "":
	case "true", "false":
		allows := additional == "true"
		s.AllowsAdditional = &allows
	default:
		var other definition
		if err := json.Unmarshal(in.Additional, &other); err != nil {
			r.add(additional, "additionalProperties of definition %s is not a schema: %s", r.name, reason(err))
			return s
		}
		s.Additional = r.schema(&other)
	}
	return s
}

// check adds errors about a schema.
func (r *definitionReader) check(s *input.JSONSchema) {
	known := []string{"", "array", "boolean", "integer", "number", "object", "string"}
	switch {
	case !slices.Contains(known, s.Type):
		r.add(`"`+s.Type+`"`, "definition %s has type %q, which is unknown", r.name, s.Type)
	case !slices.Contains([]string{"", "atomic", "set", "map"}, s.ListType.Value):
		r.add(`"`+s.ListType.Value+`"`, "definition %s has x-kubernetes-list-type %q, which is unknown", r.name, s.ListType.Value)
	case !slices.Contains([]string{"", "atomic", "granular"}, s.MapType.Value):
		r.add(`"`+s.MapType.Value+`"`, "definition %s has x-kubernetes-map-type %q, which is unknown", r.name, s.MapType.Value)
	case s.ListType.Value == "map" && len(s.MapKeys) == 0:
		r.add(`"x-kubernetes-list-type"`, "definition %s has a list of type map without x-kubernetes-list-map-keys", r.name)
	}
}

// add adds an error at the first occurrence of a text in the definition.
func (r *definitionReader) add(text, format string, args ...any) {
	definition := r.definitions[r.name]
	offset := r.offset(definition) + max(bytes.Index(definition, []byte(text)), 0)
	r.errs.Add(r.position(offset), "%s; export the document again, or correct it", fmt.Sprintf(format, args...))
}

// scalarJSON returns a scalar in JSON, and "" for other values: their defaults have no effect on merges.
func scalarJSON(text json.RawMessage) string {
	if len(text) == 0 || text[0] == '{' || text[0] == '[' {
		return ""
	}
	return string(text)
}

// anyValue returns the type of values of any form.
func anyValue() model.SchemaAtom {
	for _, t := range untypedTypes() {
		if t.Name == untypedDeduced {
			return t.Atom
		}
	}
	return model.SchemaAtom{}
}
