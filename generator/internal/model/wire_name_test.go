package model

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation"
)

// wireNames are names of all sorts, and parts of such names.
var wireNames = []string{
	"", "a", "A", "0", "9a", "a9", "-", "a-", "-a", "a-b", "a--b", ".", "..", "a.", ".a", "a.b", "a..b", "a.-b", "a-.b", "a.9",
	"a/b", "/etc/x", "../x", "a b", " a", "a ", "a\nb", "a\n", "\na", "a\x00", "a\x1b[1m", "a*/b", "a_b", "Foo", "FooBar", "foo.Example.com",
	"Ärger", "ärger", "\u212Aind", "İx", "ſ", "日本", "\xff", "v1", "v1beta1", "apps", "rbac.authorization.k8s.io", "shop.example.com",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("A", 63), strings.Repeat("A", 64),
	strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 126) + "ab", strings.Repeat("a", 253), strings.Repeat("a", 254),
}

// TestWireNames compares the accepted names with those that an API server accepts.
func TestWireNames(t *testing.T) {
	for _, name := range wireNames {
		if got, want := IsGroup(name), name == "" || len(validation.IsDNS1123Subdomain(name)) == 0; got != want {
			t.Errorf("IsGroup(%q) = %v", name, got)
		}
		if got, want := IsLabel(name), len(validation.IsDNS1035Label(name)) == 0; got != want {
			t.Errorf("IsLabel(%q) = %v", name, got)
		}
		// The server looks at the kind in lower case. So it takes the Kelvin sign for a k.
		if got, want := IsKind(name), len(validation.IsDNS1035Label(strings.ToLower(name))) == 0 && !strings.ContainsAny(name, "\u212Aİ"); got != want {
			t.Errorf("IsKind(%q) = %v", name, got)
		}
		if IsVersion(name) && len(validation.IsDNS1035Label(name)) > 0 {
			t.Errorf("IsVersion(%q), and no server takes it", name)
		}
		if IsSubresource(name) && len(path.IsValidPathSegmentName(name)) > 0 {
			t.Errorf("IsSubresource(%q), and it is no part of a path", name)
		}
	}
	for _, name := range []string{"scale", "status", "log", "ephemeralcontainers", "token", "portForward"} {
		if !IsSubresource(name) {
			t.Errorf("%q is no subresource", name)
		}
	}
	if IsVersion("v" + strings.Repeat("1", 63)) {
		t.Error("a version is longer than a label")
	}
}

func TestIsVersion(t *testing.T) {
	for s, want := range map[string]bool{
		"v1": true, "v12": true, "v1alpha1": true, "v2beta10": true,
		"": false, "v": false, "1": false, "v1alpha": false, "v1gamma1": false, "v1.2": false, "V1": false, "v1beta1x": false,
	} {
		if got := IsVersion(s); got != want {
			t.Errorf("IsVersion(%q) = %v", s, got)
		}
	}
}
