package model

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
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

// TestWireNames compares what is taken for a name with what an API server takes.
func TestWireNames(t *testing.T) {
	for _, name := range wireNames {
		if got, want := IsGroup(name), name == "" || len(validation.IsDNS1123Subdomain(name)) == 0; got != want {
			t.Errorf("IsGroup(%q) = %v", name, got)
		}
		if got, want := IsResource(name), len(validation.IsDNS1035Label(name)) == 0; got != want {
			t.Errorf("IsResource(%q) = %v", name, got)
		}
		// The server looks at the kind in lower case. So it takes the Kelvin sign for a k.
		if got, want := IsKind(name), len(validation.IsDNS1035Label(strings.ToLower(name))) == 0 && !strings.ContainsAny(name, "\u212Aİ"); got != want {
			t.Errorf("IsKind(%q) = %v", name, got)
		}
		if IsVersion(name) && len(validation.IsDNS1035Label(name)) > 0 {
			t.Errorf("IsVersion(%q), and no server takes it", name)
		}
		if isSubresource(name) && len(content.IsPathSegmentName(name)) > 0 {
			t.Errorf("isSubresource(%q), and it is no part of a path", name)
		}
	}
	for _, name := range []string{"scale", "status", "log", "ephemeralcontainers", "token", "portForward"} {
		if !isSubresource(name) {
			t.Errorf("%q is no subresource", name)
		}
	}
	if IsVersion("v" + strings.Repeat("1", 63)) {
		t.Error("a version is longer than a label")
	}
}

// TestNamesOfOtherLetters has names that do not begin with an ASCII letter, as the types
// of views may.
func TestNamesOfOtherLetters(t *testing.T) {
	for name, want := range map[string]Kind{
		"Ärger":    {Private: "ärger", Plural: "Ärgers", PluralPrivate: "ärgers", File: "ärger"},
		"Élan":     {Private: "élan", Plural: "Élans", PluralPrivate: "élans", File: "élan"},
		"Öffnung":  {Private: "öffnung", Plural: "Öffnungen", PluralPrivate: "öffnungen", File: "öffnung"},
		"Я":        {Private: "я", Plural: "Яs", PluralPrivate: "яs", File: "я"},
		"Tür":      {Private: "tür", Plural: "Türen", PluralPrivate: "türen", File: "tür"},
		"Ostsee":   {Private: "ostsee", Plural: "Östliche", PluralPrivate: "östliche", File: "ostsee"},
		"Ökostrom": {Private: "ökostrom", Plural: "Ökostroms", PluralPrivate: "ökostroms", File: "ökostrom"},
	} {
		naming := NewNaming(map[string]string{"Öffnung": "Öffnungen", "Tür": "türen", "Ostsee": "östliche"})
		k := &Kind{Name: name}
		naming.name(k, "orders")
		if got := (Kind{Private: k.Private, Plural: k.Plural, PluralPrivate: k.PluralPrivate, File: k.File}); got.Private != want.Private || got.Plural != want.Plural || got.PluralPrivate != want.PluralPrivate || got.File != want.File {
			t.Errorf("%s: the names are %+v, want %+v", name, got, want)
		}
	}
	for name, want := range map[string]string{"": "", "a": "A", "ä": "Ä", "\xff": "\ufffd"} {
		if got := upperFirst(name); got != want {
			t.Errorf("upperFirst(%q) = %q", name, got)
		}
	}
}

// TestSpellingCost wants no table for words that cannot be alike: one of a megabyte and
// each name of a package would take minutes.
func TestSpellingCost(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	known := make([]string, 2000)
	for i := range known {
		known[i] = "SomeTypeOfThePackage"
	}
	if got := nearest(long, known); got != "" {
		t.Errorf("the nearest word is %s", got)
	}
	if got := Misspelt(long); got != "" {
		t.Errorf("the marker is %s", got)
	}
}
