package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/test/wild/exercise"
)

//go:embed exercise/exercise.go
var exerciseSource []byte

// testSource is the test that the workspace runs. Its arguments are the module and the path of
// the generated code.
const testSource = `package wild_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"%[1]s/exercise"
	"%[2]s/clientset/versioned"
	"%[2]s/clientset/versioned/fake"
	"%[2]s/informers/externalversions"
)

func TestKinds(t *testing.T) {
	outcome := exercise.Kinds(t, exercise.Generated[*fake.Clientset]{
		Interface:    reflect.TypeFor[versioned.Interface](),
		NewClientset: fake.NewClientset,
		NewFactory: func(client *fake.Clientset) exercise.Factory {
			return externalversions.NewSharedInformerFactory(client, 0)
		},
	})
	text, err := json.Marshal(outcome)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("outcome.json", text, 0o644); err != nil {
		t.Fatal(err)
	}
}
`

// exercise compiles the generated clientset and its informers, and uses them for each kind. The
// error is about another module if blamesOthers reports so.
func (w workspace) exercise(ctx context.Context) (outcome exercise.Outcome, err error) {
	if err := os.MkdirAll(filepath.Join(w.dir, "exercise"), 0o755); err != nil {
		return outcome, err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "exercise", "exercise.go"), exerciseSource, 0o644); err != nil {
		return outcome, err
	}
	test := fmt.Sprintf(testSource, modulePath, path.Join(modulePath, generated))
	if err := os.WriteFile(filepath.Join(w.dir, "wild_test.go"), []byte(test), 0o644); err != nil {
		return outcome, err
	}
	// The timeout is that of the test without its compilation.
	if _, err := w.goCommand(ctx, "test", "-mod=mod", "-vet=off", "-count=1", "-timeout=1m", "."); err != nil {
		return outcome, err
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "outcome.json"))
	if err != nil {
		return outcome, err
	}
	return outcome, json.Unmarshal(text, &outcome)
}

// blamesOthers reports whether an error of exercise is only about packages that were not
// generated. The published types, or what they import, may be older than the Kubernetes modules
// of the workspace and not compile with them, although the declarations that the generator reads
// are valid. Or they may require a module that can no longer be had.
func blamesOthers(err error) bool {
	others := strings.Contains(err.Error(), "\ngo: ") && strings.Contains(err.Error(), ".mod: ")
	for line := range strings.Lines(err.Error()) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			if strings.HasPrefix(name, modulePath) {
				return false
			}
			others = true
		}
	}
	return others
}
