package apiextensions

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest"
)

// WithCRDs returns an option for [apitest.New] and [apitest.Start]. With it the server serves the custom
// resources of the CRDs at the paths: files with any number of documents, YAML or JSON, or folders, of which
// all .yaml, .yml and .json files are read in the order of their names, without subfolders.
//
// Documents and files of other kinds, such as a kustomization.yaml, are ignored. CRDs may be items of a list. An unknown
// field, a path without any CRD, and a CRD that an API server would refuse are errors that name the file and
// the document, counted from 1.
//
// A file that was read before is not checked again, if its content is the same. So each test may start a
// server of its own.
func WithCRDs(paths ...string) apitest.Option {
	return func(server *apitest.Server) error {
		definitions, err := load(paths)
		if err != nil {
			return fmt.Errorf("load CRDs: %w", err)
		}
		kinds, err := kindsOf(definitions)
		if err != nil {
			return fmt.Errorf("load CRDs: %w", err)
		}
		return server.AddKinds(kinds...)
	}
}

// Kinds returns the served versions of the CRDs, for [apitest.WithKinds] and [apitest.Server.AddKinds]. It
// fails if an API server would refuse a CRD, or if two of them claim the same name. The arguments are not
// changed. The kinds may be given to several servers.
func Kinds(crds ...*apiextensionsv1.CustomResourceDefinition) ([]apitest.Kind, error) {
	definitions := make([]*definition, len(crds))
	var faults []error
	for i, crd := range crds {
		var err error
		definitions[i], err = define(crd)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return kindsOf(definitions)
}

func kindsOf(definitions []*definition) ([]apitest.Kind, error) {
	if err := checkNames(definitions); err != nil {
		return nil, err
	}
	var kinds []apitest.Kind
	for _, d := range definitions {
		for _, v := range d.versions {
			if v.spec.Served {
				kinds = append(kinds, v.kind())
			}
		}
	}
	return kinds, nil
}

// checkNames returns an error if two CRDs claim a name. An API server stores both, but serves only the first.
func checkNames(definitions []*definition) error {
	var faults []error
	owners := map[schema.GroupResource]string{} // a kind has upper case letters, so it is no other resource
	for _, d := range definitions {
		names := d.spec.Names
		claimed := map[string]bool{}
		for _, name := range append([]string{names.Plural, names.Singular, names.Kind, names.ListKind}, names.ShortNames...) {
			if claimed[name] {
				continue // a CRD may use a name twice
			}
			claimed[name] = true
			key := schema.GroupResource{Group: d.spec.Group, Resource: name}
			owner, taken := owners[key]
			switch {
			case taken && owner == d.name:
				return fmt.Errorf("CRD %s is given twice", d.name)
			case taken:
				faults = append(faults, fmt.Errorf("CRD %s: the name %s in group %s is that of CRD %s; give it other names", d.name, name, d.spec.Group, owner))
			default:
				owners[key] = d.name
			}
		}
	}
	return errors.Join(faults...)
}

// kind describes the version for a server.
func (v *version) kind() apitest.Kind {
	d := v.definition
	kind := apitest.Kind{
		GroupVersionKind: v.gvk(),
		Resource:         d.spec.Names.Plural,
		Singular:         d.spec.Names.Singular,
		List:             d.spec.Names.ListKind,
		ShortNames:       d.spec.Names.ShortNames,
		Categories:       d.spec.Names.Categories,
		Namespaced:       d.spec.Scope == apiextensionsv1.NamespaceScoped,
		Warning:          v.warning(),
		Schema:           v,
	}
	if s := v.spec.Subresources; s != nil {
		kind.Status = s.Status != nil
		if s.Scale != nil {
			kind.Scale = &apitest.Scale{SpecReplicasPath: s.Scale.SpecReplicasPath, StatusReplicasPath: s.Scale.StatusReplicasPath}
			if s.Scale.LabelSelectorPath != nil {
				kind.Scale.SelectorPath = *s.Scale.LabelSelectorPath
			}
		}
	}
	for _, f := range v.spec.SelectableFields {
		kind.SelectableFields = append(kind.SelectableFields, strings.TrimPrefix(f.JSONPath, "."))
	}
	return kind
}

// warning returns the text that clients of a deprecated version are sent with each response.
func (v *version) warning() string {
	if !v.spec.Deprecated {
		return ""
	}
	if v.spec.DeprecationWarning != nil {
		return *v.spec.DeprecationWarning
	}
	text := fmt.Sprintf("%s %s is deprecated", v.apiVersion, v.definition.spec.Names.Kind)
	if newest := v.replacement(); newest != "" {
		text += fmt.Sprintf("; use %s/%s %s", v.definition.spec.Group, newest, v.definition.spec.Names.Kind)
	}
	return text
}
