package crdfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}`
	for name, test := range map[string]struct {
		content string
		found   int
		want    []string // in the error
	}{
		"one":                             {crd, 1, nil},
		"YAML after a comment":            {"# CustomResourceDefinition\n---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n---\n", 1, nil},
		"a list, as kubectl prints it":    {`{"apiVersion":"v1","kind":"List","items":[` + crd + `,{"kind":"Pod"},` + crd + `]}`, 2, nil},
		"a list of its own kind":          {`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinitionList","items":[` + crd + `]}`, 1, nil},
		"a kustomization":                 {"resources: [CustomResourceDefinition]", 0, nil},
		"a kustomization next to it":      {"kind: Kustomization\n---\n" + crd, 1, nil},
		"a kind of the same name":         {`{"apiVersion":"example.com/v1","kind":"CustomResourceDefinition"}`, 0, nil},
		"a template":                      {"{{ if .Values.x }}", 0, nil},
		"a template of a CRD":             {"{{ if .Values.x }}\nkind: CustomResourceDefinition", 0, []string{"f: document 1: "}},
		"an old version":                  {`{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition"}`, 0, []string{`f: document 1: apiVersion "apiextensions.k8s.io/v1beta1"`}},
		"no version":                      {"kind: CustomResourceDefinition", 0, []string{`apiVersion ""`}},
		"a text":                          {"CustomResourceDefinition", 0, []string{"not a Kubernetes object"}},
		"two mistakes":                    {"kind: CustomResourceDefinition\n---\n" + crd + "\n---\nkind: CustomResourceDefinition\nkind: x", 1, []string{"document 1", "document 3", "already"}},
		"one that the caller cannot take": {crd + "\n---\n" + crd, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			err := Read("f", []byte(test.content), func([]byte) error { found++; return nil })
			if found != test.found || (err != nil) != (len(test.want) > 0) {
				t.Fatalf("%d CRDs, error %v", found, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want %q", err, want)
				}
			}
		})
	}
	errTaken := errors.New("taken")
	if err := Read("f", []byte(crd), func([]byte) error { return errTaken }); !errors.Is(err, errTaken) || !strings.HasPrefix(err.Error(), "f: document 1: ") {
		t.Errorf("the error of the caller is %v", err)
	}
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b.yaml", "a.yml", "c.json", "d.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, "e.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(folder, "a.yml"), filepath.Join(folder, "b.yaml"), filepath.Join(folder, "c.json")}
	if files, err := Files(folder); err != nil || !slices.Equal(files, want) {
		t.Errorf("the files are %q, %v", files, err)
	}
	if files, err := Files(want[1]); err != nil || !slices.Equal(files, want[1:2]) {
		t.Errorf("the file itself is %q, %v", files, err)
	}
	if _, err := Files("missing"); err == nil || !strings.Contains(err.Error(), "relative to the working directory") {
		t.Errorf("a missing folder: %v", err)
	}
}
