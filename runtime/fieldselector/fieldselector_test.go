package fieldselector

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// loud is a string whose method is not what a server compares.
type loud string

func (l loud) String() string { return "LOUD" }

func TestFieldSelector(t *testing.T) {
	type widget = *metav1.PartialObjectMetadata
	const (
		color Field[widget, loud]   = "spec.color"
		size  Field[widget, int16]  = "spec.size"
		count Field[widget, uint64] = "spec.count"
		on    Field[widget, bool]   = "spec.on"
	)
	var all Selector[widget]
	for _, test := range []struct {
		selector fmt.Stringer
		want     string
	}{
		{all, ""},
		{all.And(all), ""},
		{color.Is("blue"), "spec.color=blue"},
		{color.IsNot(""), "spec.color!="},
		{color.Is("a,b=c"), `spec.color=a\,b\=c`},
		{size.Is(-3), "spec.size=-3"},
		{count.IsNot(1 << 63), "spec.count!=9223372036854775808"},
		{on.Is(false).And(all, size.Is(0)), "spec.on=false,spec.size=0"},
		{all.And(on.Is(true)), "spec.on=true"},
	} {
		if got := test.selector.String(); got != test.want {
			t.Errorf("the selector is %q, want %q", got, test.want)
		}
	}
	if got := all.Selector().String() + color.Is("blue").Selector().String(); got != "spec.color=blue" {
		t.Errorf("without type parameters: %q", got)
	}
}
