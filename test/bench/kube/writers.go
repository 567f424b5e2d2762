package main

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// writers returns the managedFields that the API server gives the model of a kind when a
// deployer applies its spec and an operator updates its status.
func (l *load) writers(ctx context.Context, o options, k *kind) ([]metav1.ManagedFieldsEntry, error) {
	client, err := dynamic.NewForConfig(o.config())
	if err != nil {
		return nil, err
	}
	model := k.model()
	databases := client.Resource(k.resource).Namespace(model.Namespace)
	applied, err := unstructuredOf(model)
	if err != nil {
		return nil, err
	}
	for _, field := range [][]string{{"status"}, {"metadata", "uid"}, {"metadata", "generation"}, {"metadata", "creationTimestamp"}} {
		unstructured.RemoveNestedField(applied.Object, field...)
	}
	created, err := databases.Apply(ctx, model.Name, applied, metav1.ApplyOptions{FieldManager: "deployer"})
	if err != nil {
		return nil, fmt.Errorf("apply the model: %w", err)
	}
	reported, err := unstructuredOf(model)
	if err != nil {
		return nil, err
	}
	created.Object["status"] = reported.Object["status"]
	written, err := databases.UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: "database-operator"})
	if err != nil {
		return nil, fmt.Errorf("update the status of the model: %w", err)
	}
	entries := written.GetManagedFields()
	if len(entries) != 2 {
		return nil, fmt.Errorf("the API server has %d writers of the model instead of 2", len(entries))
	}
	return entries, nil
}

func unstructuredOf(db *podserver.Database) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(db)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{}
	return obj, obj.UnmarshalJSON(text)
}
