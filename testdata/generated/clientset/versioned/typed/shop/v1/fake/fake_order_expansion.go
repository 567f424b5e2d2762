package fake

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
)

func (c *fakeOrders) Cancel(ctx context.Context, name string) (*shopv1.Order, error) {
	order, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	order.Status.Phase = "Cancelled"
	return c.UpdateStatus(ctx, order, metav1.UpdateOptions{})
}
