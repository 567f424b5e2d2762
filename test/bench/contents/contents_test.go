package contents

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

func TestCompare(t *testing.T) {
	listed := func() []podserver.Database {
		return []podserver.Database{*podserver.SmallDatabase(1), *podserver.SmallDatabase(2)}
	}
	for _, test := range []struct {
		name   string
		change func(cached []podserver.Database) []podserver.Database
		same   bool
	}{
		{"the same", func(c []podserver.Database) []podserver.Database { return c }, true},
		{"another order", func(c []podserver.Database) []podserver.Database { return []podserver.Database{c[1], c[0]} }, true},
		{"another kind", func(c []podserver.Database) []podserver.Database { c[0].Kind = "Database"; return c }, true},
		{"one less", func(c []podserver.Database) []podserver.Database { return c[:1] }, false},
		{"none", func(c []podserver.Database) []podserver.Database { return nil }, false},
		{"one twice", func(c []podserver.Database) []podserver.Database { return []podserver.Database{c[0], c[0]} }, false},
		{"another object", func(c []podserver.Database) []podserver.Database { c[0].Name = "x"; return c }, false},
		{"another version", func(c []podserver.Database) []podserver.Database { c[0].ResourceVersion = "9"; return c }, false},
		{"another field", func(c []podserver.Database) []podserver.Database { c[1].Spec.Users[0].Roles[0] = "none"; return c }, false},
	} {
		err := Compare(Objects(test.change(listed())), Objects(listed()), func(obj podserver.Object) any { return obj })
		if (err == nil) != test.same {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	spec := func(obj podserver.Object) any { return obj.(*podserver.Database).Spec }
	cached := listed()
	cached[0].Labels["app"] = "other"
	if err := Compare(Objects(cached), Objects(listed()), spec); err != nil {
		t.Errorf("a field that is not compared: %v", err)
	}
}
