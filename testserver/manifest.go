package testserver

import (
	"errors"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/internal/crdfile"
)

// LoadCRDs reads CRD manifests, YAML or JSON: one file of any number of documents, or all the .yaml, .yml and
// .json files of a folder in the order of their names, subfolders not included. They may be items of a list.
//
// Documents and files of other kinds, such as a kustomization.yaml, are ignored. An unknown field,
// or a path without any CRD is an error; it names the file and the document, counted from 1. All faulty documents
// are reported together.
func LoadCRDs(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := crdfile.Files(path)
	if err != nil {
		return nil, fmt.Errorf("load CRDs: %w", err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	var faults []error
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil {
			err = crdfile.Read(file, content, func(text []byte) error {
				crd, err := parseCRD(text)
				all = append(all, crd)
				return err
			})
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("load CRDs: %w", err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("load CRDs: %s holds no CustomResourceDefinition; name a manifest, or a folder with .yaml, .yml or .json files", path)
	}
	return all, nil
}

func parseCRD(text []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, crd); err != nil {
		return nil, err
	}
	if crd.Name == "" {
		return nil, errors.New("it has no metadata.name; name it PLURAL.GROUP")
	}
	return crd, nil
}
