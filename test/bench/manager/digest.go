package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// digester sums up objects: the names and versions of all, and all fields of a sample. The
// kind is left out, because objects that are not copied have none.
type digester struct {
	every uint32
	lines []string
}

// sample is about how many objects are compared as a whole.
const sample = 1000

func newDigester(objects int) *digester {
	return &digester{every: uint32(max(objects/sample, 1))}
}

func (d *digester) add(obj client.Object) error {
	line := fmt.Sprintf("%s/%s %s", obj.GetNamespace(), obj.GetName(), obj.GetResourceVersion())
	if hash(obj.GetName())%d.every == 0 {
		copied := obj.DeepCopyObject()
		copied.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		text, err := json.Marshal(copied)
		if err != nil {
			return err
		}
		line += fmt.Sprintf(" %x", sha256.Sum256(text))
	}
	d.lines = append(d.lines, line)
	return nil
}

func (d *digester) addList(list client.ObjectList) error {
	return meta.EachListItem(list, func(item runtime.Object) error { return d.add(item.(client.Object)) })
}

// sum fails if an object was added twice.
func (d *digester) sum() (string, error) {
	slices.Sort(d.lines)
	all := sha256.New()
	var last string
	for _, line := range d.lines {
		name, _, _ := bytes.Cut([]byte(line), []byte(" "))
		if string(name) == last {
			return "", fmt.Errorf("%s was read twice", last)
		}
		last = string(name)
		fmt.Fprintln(all, line)
	}
	if last == "" {
		return "", errors.New("nothing was read")
	}
	return fmt.Sprintf("%d objects, %x", len(d.lines), all.Sum(nil)), nil
}

// hash scatters names.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}
