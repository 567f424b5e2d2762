package v1

import (
	"k8s.io/apimachinery/pkg/labels"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
)

// OrderListerExpansion is written by hand, in a file that the generator finds and
// leaves alone.
type OrderListerExpansion interface {
	// OfCustomer returns the orders of a customer in all namespaces.
	OfCustomer(customer string) ([]*shopv1.Order, error)
}

func (l orderLister) OfCustomer(customer string) ([]*shopv1.Order, error) {
	all, err := l.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var found []*shopv1.Order
	for _, order := range all {
		if order.Spec.Customer == customer {
			found = append(found, order)
		}
	}
	return found, nil
}

// OrderNamespaceListerExpansion has nothing.
type OrderNamespaceListerExpansion interface{}
