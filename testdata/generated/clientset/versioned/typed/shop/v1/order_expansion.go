package v1

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
)

// OrderExpansion is written by hand, in a file that the generator finds and leaves
// alone.
type OrderExpansion interface {
	// Cancel sets the phase of an order.
	Cancel(ctx context.Context, name string) (*shopv1.Order, error)
}

func (c *orders) Cancel(ctx context.Context, name string) (*shopv1.Order, error) {
	order, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	order.Status.Phase = "Cancelled"
	return c.UpdateStatus(ctx, order, metav1.UpdateOptions{})
}
