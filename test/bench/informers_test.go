package main

import (
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestObjectsOf(t *testing.T) {
	sizes := []int{10_000, 100_000, 1_000_000}
	for _, test := range []struct {
		section string
		setting report.Setting
		sizes   []int
		full    bool
		want    []int
	}{
		{"default", report.Setting{}, sizes, true, []int{10_000, 100_000}},
		{"runtime", report.Setting{}, sizes, false, []int{10_000, 100_000}},
		{"runtime", report.Setting{}, sizes, true, sizes},
		{"custom", report.Setting{Divisor: 10}, sizes, false, []int{1000, 10_000}},
		{"custom", report.Setting{Divisor: 10}, []int{1000, 5000}, false, []int{1000}},
		{"conditions", report.Setting{Most: 10_000}, sizes, false, []int{10_000}},
		{"idle", report.Setting{Objects: 1}, sizes, false, []int{1}},
	} {
		o := options{sizes: test.sizes, full: test.full}
		if got := o.objectsOf(test.section, test.setting); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestSections has settings for each section over HTTP.
func TestSections(t *testing.T) {
	for name := range report.Sections {
		if sectionAt(name) < 0 {
			t.Errorf("there is no section %q", name)
		}
	}
}
