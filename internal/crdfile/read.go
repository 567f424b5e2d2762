// Package crdfile finds the CRDs in the files that a user names. The flag --crd of the generator, module apiextensions and
// module testserver find the same ones.
package crdfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	// Kind is the kind of a CRD.
	Kind = "CustomResourceDefinition"
	// Group is its API group, and APIVersion the version that servers accept.
	Group      = "apiextensions.k8s.io"
	APIVersion = Group + "/v1"
)

// Files returns path, or, if it is a folder, its files as InFolder does.
func Files(path string) ([]string, error) {
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
	return InFolder(path)
}

// InFolder returns the *.yaml, *.yml and *.json files directly in a folder, sorted, as kubectl apply -f reads them. With an error
// it returns those that it has found.
func InFolder(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var files []string
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".yaml", ".yml", ".json":
			name := filepath.Join(folder, entry.Name())
			if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
				files = append(files, name) // reading the file returns the error
			}
		}
	}
	return files, err
}

// MayHave reports whether the content of a file may have a CRD. Other files in a folder, such as the templates of a
// chart, need not be YAML.
func MayHave(content []byte) bool { return bytes.Contains(content, []byte(Kind)) }

// Read calls found with each CRD in the content of a file, as JSON. CRDs may be items of a list, as kubectl get prints
// it. Documents of other kinds, such as a kustomization, are ignored. The error joins those of all documents. Each
// names the file and the document, counted from 1.
func Read(file string, content []byte, found func(crd []byte) error) error {
	if !MayHave(content) {
		return nil
	}
	var faults []error
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return errors.Join(faults...)
		}
		isBroken := err != nil
		if !isBroken {
			err = readDocument(document, found)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: document %d: %w", file, number, err))
		}
		if isBroken { // the reader may be anywhere in the file now
			return errors.Join(faults...)
		}
	}
}

func readDocument(document []byte, found func(crd []byte) error) error {
	encoded, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return err
	}
	return readObject(encoded, found)
}

func readObject(encoded []byte, found func(crd []byte) error) error {
	var object *struct {
		metav1.TypeMeta
		Items []json.RawMessage
	}
	if err := json.Unmarshal(encoded, &object); err != nil {
		return fmt.Errorf("not a Kubernetes object: %w", err)
	}
	switch {
	case object == nil:
		return nil
	case object.Kind == "List", object.Kind == Kind+"List":
		var faults []error
		for _, item := range object.Items {
			faults = append(faults, readObject(item, found))
		}
		return errors.Join(faults...)
	case object.Kind != Kind, object.APIVersion != "" && !strings.HasPrefix(object.APIVersion, Group+"/"): // a kind of the same name
		return nil
	case object.APIVersion != APIVersion:
		return fmt.Errorf("apiVersion %q of a %s is not %s; convert it, or regenerate it with controller-gen", object.APIVersion, Kind, APIVersion)
	}
	return found(encoded)
}
