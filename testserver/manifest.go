package testserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// LoadCRDs reads CRD manifests, YAML or JSON: one file of any number of documents, or all the .yaml, .yml and
// .json files of a folder in the order of their names, subfolders not included.
//
// Documents and files of other kinds, such as a kustomization.yaml, are ignored. A list of CRDs, an unknown field,
// or a path without any CRD is an error; it names the file and the document, counted from 1. All faulty documents
// are reported together.
func LoadCRDs(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := manifestFiles(path)
	if err != nil {
		return nil, fmt.Errorf("load CRDs: %w", err)
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	var faults []error
	for _, file := range files {
		more, err := readManifest(file)
		crds = append(crds, more...)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("load CRDs: %w", err)
	}
	if len(crds) == 0 {
		return nil, fmt.Errorf("load CRDs: %s holds no CustomResourceDefinition; name a manifest, or a folder with .yaml, .yml or .json files", path)
	}
	return crds, nil
}

func manifestFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if absolute, absErr := filepath.Abs(path); absErr == nil {
			return nil, fmt.Errorf("%w: that is %s; a relative path begins at the working directory, which for a test is the folder of its package", err, absolute)
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	return files, nil
}

func readManifest(file string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(content, []byte(definitionKind)) {
		return nil, nil
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	var faults []error
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return crds, errors.Join(faults...)
		}
		if err != nil {
			return crds, errors.Join(append(faults, fmt.Errorf("%s: document %d: %w", file, number, err))...)
		}
		crd, err := parseCRD(document)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: document %d: %w", file, number, err))
		} else if crd != nil {
			crds = append(crds, crd)
		}
	}
}

// definitionKind is the kind of a CRD. Like the generator's flag --crd, LoadCRDs ignores files and documents of other
// kinds.
const definitionKind = "CustomResourceDefinition"

// parseCRD returns nil for a document that is no CRD. A list of CRDs is an error.
func parseCRD(document []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var content any
	if err := yaml.Unmarshal(document, &content); err != nil {
		return nil, err
	}
	if content == nil {
		return nil, nil
	}
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return nil, fmt.Errorf("not a Kubernetes object: %w", err)
	}
	if kind.Kind != definitionKind && kind.Kind != "List" && kind.Kind != definitionKind+"List" {
		return nil, nil
	}
	want := metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: definitionKind}
	if kind != want {
		return nil, fmt.Errorf("apiVersion %q, kind %q is not %s, %s; write each CRD as a document of its own, as controller-gen does", kind.APIVersion, kind.Kind, want.APIVersion, want.Kind)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(document, crd); err != nil {
		return nil, err
	}
	if crd.Name == "" {
		return nil, errors.New("it has no metadata.name; name it PLURAL.GROUP")
	}
	return crd, nil
}
