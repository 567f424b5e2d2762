package crcache

import (
	"fmt"
	"strings"
	"testing"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestDecoders reads objects of all forms through a cache whose objects are compared, and through one with the reference decoder.
func TestDecoders(t *testing.T) {
	s := newServer(t)
	for i := range 20 {
		s.put("widgets", newWidget("a", fmt.Sprintf("widget-%d", i), "red"))
	}
	for name, test := range map[string]struct {
		option      Option
		isReference bool
	}{"check": {WithDecoderCheck(1), false}, "reference": {WithReferenceDecoder(), true}} {
		options := ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()}
		made, err := NewFunc(test.option)(s.config(), options)
		if err != nil {
			t.Fatal(err)
		}
		c := made.(*Cache)
		start(t, c)
		for _, obj := range []client.Object{&widget{}, untypedWidget(), partialWidget()} {
			if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "widget-7"}, obj); err != nil || obj.GetLabels()["color"] != "red" {
				t.Errorf("%s: Get of a %T returns %v, %v", name, obj, obj, err)
			}
		}
		eventually(t, func() error {
			for status := range c.Statuses() {
				if stats := &status.Stats; status.ReferenceDecoder != test.isReference || (stats.DecoderChecks > 0) == test.isReference || stats.DecoderDifferences > 0 {
					return fmt.Errorf("%s: %s %s: reference decoder: %t, %d checks, %d differences", name, status.Resource, status.Name, status.ReferenceDecoder, stats.DecoderChecks, stats.DecoderDifferences)
				}
			}
			return nil
		})
	}
	if _, err := NewFunc(WithDecoderCheck(0))(s.config(), ctrlcache.Options{}); err == nil || !strings.Contains(err.Error(), "one object in 0 cannot be compared") {
		t.Errorf("the error of WithDecoderCheck(0) is %v", err)
	}
}
