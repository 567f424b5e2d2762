package scoping

import (
	"fmt"
	"slices"
	"testing"
)

func named(from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("team-%d", i))
	}
	return names
}

func TestPlan(t *testing.T) {
	const above = 100
	have := NewNamespaces(named(0, 150))
	for name, test := range map[string]struct {
		namespaces []string
		have       *Namespaces
		keeps      bool // have
		wide       int  // -1 for no watch of all namespaces
		apart      []string
	}{
		"none":                              {nil, nil, false, -1, nil},
		"as many as may be apart":           {named(0, 100), nil, false, -1, named(0, 100)},
		"one more":                          {named(0, 101), nil, false, 101, nil},
		"the same":                          {named(0, 150), have, true, 150, nil},
		"one is added":                      {named(0, 151), have, true, 150, named(150, 151)},
		"many are added":                    {named(0, 250), have, true, 150, named(150, 250)},
		"too many are added":                {named(0, 251), have, false, 251, nil},
		"one is removed":                    {named(1, 150), have, true, 150, nil},
		"one is replaced":                   {named(1, 151), have, true, 150, named(150, 151)},
		"all are replaced":                  {named(150, 300), have, false, 150, nil},
		"fewer than above, but not by much": {named(0, 51), have, true, 150, nil},
		"half of above":                     {named(0, 50), have, false, -1, named(0, 50)},
		"all are removed":                   {nil, have, false, -1, nil},
	} {
		wide, apart := Plan(test.namespaces, test.have, above)
		size := -1
		if wide != nil {
			size = wide.Len()
		}
		if size != test.wide || !slices.Equal(apart, test.apart) || (wide != nil && wide == test.have) != test.keeps {
			t.Errorf("%s: a watch of %d namespaces, want %d, and %d apart, want %d", name, size, test.wide, len(apart), len(test.apart))
		}
		for _, namespace := range test.namespaces {
			if inWide := wide != nil && wide.Has(namespace); inWide == slices.Contains(apart, namespace) {
				t.Errorf("%s: %s is followed twice, or not at all", name, namespace)
			}
		}
	}
}

func TestPlanOfFewNamespaces(t *testing.T) {
	wide, apart := Plan(named(0, 1), nil, 0)
	if wide == nil || !wide.HasText([]byte("team-0")) || wide.Has("team-1") || apart != nil {
		t.Errorf("%v, %v", wide, apart)
	}
	if wide, apart := Plan(nil, wide, 0); wide != nil || apart != nil {
		t.Errorf("no namespaces: %v, %v", wide, apart)
	}
	if !(*Namespaces)(nil).Has("a") || !(*Namespaces)(nil).HasText(nil) {
		t.Error("a nil set has not all namespaces")
	}
}

func TestRemove(t *testing.T) {
	n := NewNamespaces(named(0, 5))
	gone := n.Without(append(named(1, 3), "other"))
	if want := []string{"team-0", "team-3", "team-4"}; !slices.Equal(gone, want) || n.Len() != 5 {
		t.Errorf("%q are gone of %d, want %q", gone, n.Len(), want)
	}
	n.Remove(gone)
	if n.Len() != 2 || n.Has("team-0") || n.HasText([]byte("team-4")) || !n.Has("team-1") || len(n.Without(named(0, 5))) != 0 {
		t.Errorf("%d are left", n.Len())
	}
}
