package apiextensions

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// definition is a CRD that an API server would accept. It does not change, so servers share it.
type definition struct {
	name string
	spec *apiextensionsv1.CustomResourceDefinitionSpec
	// versions are in the order of the CRD.
	versions []*version
	// storage is the version in which objects are stored. It need not be served.
	storage *version
	// converter returns the TypeConverter of all versions.
	converter func() managedfields.TypeConverter
}

// define checks the CRD as an API server does when it is created. It does not change the argument.
func define(original *apiextensionsv1.CustomResourceDefinition) (*definition, error) {
	crd := original.DeepCopy()
	// The server ignores the status of a new object.
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
		return nil, fmt.Errorf("CRD %s: %w", crd.Name, err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			internal.Status.StoredVersions = []string{v.Name}
		}
	}
	if faults := validation.ValidateCustomResourceDefinition(context.Background(), internal); len(faults) > 0 {
		return nil, fmt.Errorf("CRD %s: an API server refuses it: %w", crd.Name, faults.ToAggregate())
	}
	d := &definition{name: crd.Name, spec: &crd.Spec}
	for i := range crd.Spec.Versions {
		v, err := newVersion(d, &crd.Spec.Versions[i])
		if err != nil {
			return nil, fmt.Errorf("CRD %s: version %s: %w", crd.Name, crd.Spec.Versions[i].Name, err)
		}
		d.versions = append(d.versions, v)
		if v.spec.Storage {
			d.storage = v
		}
	}
	if err := d.checkConversion(); err != nil {
		return nil, fmt.Errorf("CRD %s: %w", crd.Name, err)
	}
	d.converter = sync.OnceValue(func() managedfields.TypeConverter { return newTypeConverter(d) })
	return d, nil
}

// checkConversion refuses a conversion webhook, unless there is nothing to convert. A CRD with one served
// version needs no conversion: then that version is the one in which objects are stored.
func (d *definition) checkConversion() error {
	if d.spec.Conversion == nil || d.spec.Conversion.Strategy == apiextensionsv1.NoneConverter {
		return nil
	}
	var served []*version
	for _, v := range d.versions {
		if v.spec.Served {
			served = append(served, v)
		}
	}
	if len(served) > 1 {
		return fmt.Errorf("spec.conversion.strategy is %s, and %d versions are served: the server in memory calls no webhooks; give it a copy of the CRD that serves one version, or that has the strategy None", d.spec.Conversion.Strategy, len(served))
	}
	if len(served) == 1 {
		d.storage = served[0]
	}
	return nil
}
