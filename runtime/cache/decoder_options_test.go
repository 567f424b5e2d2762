package cache

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestReferenceDecoder has the option, the variable of the environment, or a wrong one.
func TestReferenceDecoder(t *testing.T) {
	const isOn, hasNoEffect = "Objects are decoded by apimachinery's serializers", "has no effect"
	for name, test := range map[string]struct {
		options  []SharedInformerOption
		variable string
		logs     string
	}{
		"usual":          {},
		"option":         {options: []SharedInformerOption{WithReferenceDecoder()}, logs: isOn},
		"variable":       {variable: "reference", logs: isOn},
		"wrong variable": {variable: "refrence", logs: hasNoEffect},
		"scopes":         {options: []SharedInformerOption{WithNamespaces("a", "b")}, variable: "reference", logs: isOn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("INFORMER_DECODER", test.variable)
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.Set("a", "one", map[string]string{"letters": "x"})
				kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }}
				s, err := kind.NewInformer(append(test.options, WithDecoderCheck(1))...)
				if err != nil {
					t.Fatal(err)
				}
				log := &cachetest.ShownLog{}
				cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
				synctest.Wait()
				src.Set("a", "one", map[string]string{"letters": "y"})
				synctest.Wait()
				obj, _ := s.GetStore().Get(ObjectName{"a", "one"})
				all := inside(s).observed()
				want := test.logs == isOn
				if obj.GetLabels()["letters"] != "y" || all.ReferenceDecoder != want || (all.Stats.DecoderChecks == 0) != want || all.Stats.DecoderDifferences != 0 {
					t.Errorf("labels %v, reference decoder: %t, %d checks, %d differences", obj.GetLabels(), all.ReferenceDecoder, all.Stats.DecoderChecks, all.Stats.DecoderDifferences)
				}
				if lines := strings.Join(log.Take(), "\n"); strings.Count(lines, isOn)+strings.Count(lines, hasNoEffect) > 1 || !strings.Contains(lines, test.logs) {
					t.Errorf("the log is\n%s", lines)
				}
			})
		})
	}
	if _, err := (Kind[object]{Resource: widgets, Open: func(string) bodies.OpenFunc { return nil }}).NewInformer(WithDecoderCheck(0)); err == nil || !strings.Contains(fmt.Sprint(err), "one object in 0 cannot be compared") {
		t.Errorf("the error of WithDecoderCheck(0) is %v", err)
	}
}
