package model

import (
	"maps"
	"slices"
	"testing"
)

func TestApplyDirs(t *testing.T) {
	got := ApplyDirs([]string{
		"x.io/api/bootstrap/kubeadm/v1", "x.io/api/controlplane/kubeadm/v1", "x.io/api/core/v1",
		"x.io/a/Price/v1", "x.io/b/a/price/v1",
		"y.io/shop/v1", "shop/v1", "v1",
		"x.io/Same/v1", "x.io/same/v1",
	}, nil)
	want := map[string]string{
		"x.io/api/bootstrap/kubeadm/v1": "bootstrap/kubeadm/v1", "x.io/api/controlplane/kubeadm/v1": "controlplane/kubeadm/v1", "x.io/api/core/v1": "core/v1",
		"x.io/a/Price/v1": "x.io/a/price/v1", "x.io/b/a/price/v1": "b/a/price/v1",
		"y.io/shop/v1": "y.io/shop/v1", "shop/v1": "shop/v1", "v1": "v1",
		"x.io/Same/v1": "x.io/same/v1", "x.io/same/v1": "x.io/same/v1",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the folders are %q, want %q", got, want)
	}
	others := ApplyDirs([]string{"x.io/store/core/v1", "x.io/a/common", "x.io/b/common"}, want)
	want = map[string]string{"x.io/store/core/v1": "store/core/v1", "x.io/a/common": "a/common", "x.io/b/common": "b/common"}
	if !maps.Equal(others, want) {
		t.Errorf("next to these, the folders are %q, want %q", others, want)
	}
}

// TestApplyDirsGoCanImport has folders whose names are no names of packages, or which other packages cannot import.
func TestApplyDirsGoCanImport(t *testing.T) {
	want := map[string]string{
		"x.io/apis/shared-types": "apis/sharedtypes", "x.io/internal/v1": "internalgroup/v1", "x.io/api/internal": "api/internalversion",
		"gopkg.in/shop.v2": "gopkg.in/shopv2", "x.io/api/type": "api/typeversion", "x.io/api/2024": "api/v2024",
		"x.io/my-api/v1": "my-api/v1", "x.io/shared_types": "x.io/shared_types",
		"x.io/a/b-c": "x.io/a/bc", "x.io/d/a/bc": "d/a/bc", // both would be a/bc
	}
	paths := slices.Sorted(maps.Keys(want))
	if got := ApplyDirs(paths, nil); !maps.Equal(got, want) {
		t.Errorf("the folders are %q, want %q", got, want)
	}
}
