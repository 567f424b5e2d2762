// Package applyconfiguration stands for the one that applyconfiguration-gen writes.
package applyconfiguration

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// NewTypeConverter returns what a fake clientset merges with.
func NewTypeConverter(*runtime.Scheme) managedfields.TypeConverter {
	return managedfields.NewDeducedTypeConverter()
}
