package model

import (
	"maps"
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
