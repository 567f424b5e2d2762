package main

import (
	"encoding/json"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/crdfile"
)

// namesOf returns the names of the CRDs in files and folders.
func namesOf(paths []string) (names []string, err error) {
	for _, path := range paths {
		files, err := crdfile.Files(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if !crdfile.MayHave(content) {
				continue
			}
			if err := crdfile.Read(file, content, func(crd []byte) error {
				var object metav1.PartialObjectMetadata
				err := json.Unmarshal(crd, &object)
				names = append(names, object.Name)
				return err
			}); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}
