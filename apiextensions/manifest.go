package apiextensions

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/internal/crdfile"
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
	files, err := crdfile.Files(path)
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

func loadFile(file string) ([]*definition, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !crdfile.MayHave(content) {
		return nil, nil
	}
	hash := sha256.Sum256(content)
	if known, ok := loaded.Load(hash); ok {
		return known.([]*definition), nil
	}
	var definitions []*definition
	if err := crdfile.Read(file, content, func(text []byte) error {
		next, err := parseCRD(text)
		definitions = append(definitions, next)
		return err
	}); err != nil {
		return nil, err
	}
	loaded.Store(hash, definitions)
	return definitions, nil
}

func parseCRD(text []byte) (*definition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	strict, err := kjson.UnmarshalStrict(text, crd)
	if err := errors.Join(append(strict, err)...); err != nil {
		return nil, err
	}
	return define(crd)
}
