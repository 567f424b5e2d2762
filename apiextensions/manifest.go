package apiextensions

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// loaded has the definitions of each manifest that was read without an error, by the hash of its
// content. A test binary starts a server for each test, mostly with the same manifests, and to
// check a large CRD takes longer than most tests.
var loaded sync.Map // of [sha256.Size]byte to []*definition

// load reads the manifests at the paths. All faulty documents are reported together.
func load(paths []string) ([]*definition, error) {
	if len(paths) == 0 {
		return nil, errors.New("no path; name the files of the CRDs, or a folder of them")
	}
	var definitions []*definition
	var faults []error
	for _, path := range paths {
		more, err := loadPath(path)
		definitions = append(definitions, more...)
		faults = append(faults, err)
	}
	return definitions, errors.Join(faults...)
}

func loadPath(path string) ([]*definition, error) {
	files, err := manifestFiles(path)
	if err != nil {
		return nil, err
	}
	var definitions []*definition
	var faults []error
	for _, file := range files {
		more, err := loadFile(file)
		definitions = append(definitions, more...)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(definitions) == 0 {
		return nil, fmt.Errorf("%s has no CustomResourceDefinition; name a manifest, or a folder with .yaml, .yml or .json files", path)
	}
	return definitions, nil
}

// manifestFiles returns path, or the manifests in the folder path.
func manifestFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if absolute, absErr := filepath.Abs(path); absErr == nil {
			return nil, fmt.Errorf("%w: the path is relative to the working directory, which for a test is the folder of its package, and means %s", err, absolute)
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

func loadFile(file string) ([]*definition, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(content, []byte(definitionKind)) {
		return nil, nil
	}
	hash := sha256.Sum256(content)
	if known, ok := loaded.Load(hash); ok {
		return known.([]*definition), nil
	}
	var definitions []*definition
	var faults []error
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			// The reader may be anywhere in the file now.
			faults = append(faults, fmt.Errorf("%s: document %d: %w", file, number, err))
			break
		}
		next, err := parseDocument(document)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: document %d: %w", file, number, err))
		} else if next != nil {
			definitions = append(definitions, next)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	loaded.Store(hash, definitions)
	return definitions, nil
}

// definitionKind is the kind of a CRD. Like the generator's flag --crd, this package ignores files and documents of
// other kinds, such as the kustomization.yaml next to CRDs.
const definitionKind = "CustomResourceDefinition"

// parseDocument returns nil for a document that is no CRD. A list of CRDs is an error.
func parseDocument(document []byte) (*definition, error) {
	encoded, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	var kind *metav1.TypeMeta
	if err := json.Unmarshal(encoded, &kind); err != nil {
		return nil, fmt.Errorf("not a Kubernetes object: %w", err)
	}
	if kind == nil || kind.Kind != definitionKind && kind.Kind != "List" && kind.Kind != definitionKind+"List" {
		return nil, nil
	}
	want := metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: definitionKind}
	if *kind != want {
		return nil, fmt.Errorf("apiVersion %q, kind %q is not %s, %s; write each CRD as a document of its own, as controller-gen does", kind.APIVersion, kind.Kind, want.APIVersion, want.Kind)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	strict, err := kjson.UnmarshalStrict(encoded, crd)
	if err := errors.Join(append(strict, err)...); err != nil {
		return nil, err
	}
	return define(crd)
}
