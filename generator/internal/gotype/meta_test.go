package gotype

import (
	"reflect"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMethodsAreComplete(t *testing.T) {
	for of, got := range map[reflect.Type][]string{
		reflect.TypeFor[metav1.Object]():        Metas["ObjectMeta"].Accessors,
		reflect.TypeFor[metav1.ListInterface](): Metas["ListMeta"].Accessors,
	} {
		var want []string
		for i := range of.NumMethod() {
			want = append(want, of.Method(i).Name)
		}
		if got = slices.Sorted(slices.Values(got)); !slices.Equal(got, want) {
			t.Errorf("the methods of %v are %v, want %v", of, got, want)
		}
	}
}
