package describe

import "testing"

// TestRegistration reports for variables and functions whether generated code can use them.
func TestRegistration(t *testing.T) {
	const literal = `schema.GroupVersion{Group: "shop.example.com", Version: "v1"}`
	for text, want := range map[string]struct {
		name  string
		other bool
		known bool
		adds  bool
	}{
		"var SchemeGroupVersion = " + literal:                                                {name: "SchemeGroupVersion", known: true},
		"var SchemeGroupVersion = other.GV{\"shop.example.com\", \"v1\"}":                    {name: "SchemeGroupVersion", known: true},
		"var SchemeGroupVersion schema.GroupVersion":                                         {name: "SchemeGroupVersion"},
		"var SchemeGroupVersion = other.GroupVersion":                                        {name: "SchemeGroupVersion"},
		"var SchemeGroupVersion = &" + literal:                                               {name: "SchemeGroupVersion", known: true, other: true},
		"var SchemeGroupVersion *schema.GroupVersion":                                        {name: "SchemeGroupVersion", other: true},
		"const GroupVersion = \"shop.example.com/v1\"":                                       {name: "GroupVersion", other: true},
		"const GroupVersion = Group + \"/v1\"":                                               {name: "GroupVersion", other: true},
		"var GroupVersion string":                                                            {name: "GroupVersion", other: true},
		"const SchemeGroupVersion = \"shop\"\nvar GroupVersion = " + literal:                 {name: "GroupVersion", known: true},
		"var GroupVersion = schema.GroupVersionKind{Group: \"shop\", Version: \"v1\"}":       {name: "GroupVersion", known: true, other: true},
		"var AddToScheme = builder.AddToScheme":                                              {adds: true},
		"func AddToScheme(s *runtime.Scheme) error { return nil }":                           {adds: true},
		"func AddToScheme(s *runtime.Scheme) {}":                                             {},
		"func AddToScheme(a, b *runtime.Scheme) error { return nil }":                        {},
		"func AddToScheme[T any](s *runtime.Scheme) error { return nil }":                    {},
		"type AddToScheme struct{}\nfunc (T) AddToScheme(*runtime.Scheme) error { return 0}": {},
		"const AddToScheme = 1":                                                              {},
	} {
		pkg := describe(t, "package v1\n\n"+text+"\n")
		gv := pkg.GroupVersion
		if gv.Name != want.name || gv.OtherType != want.other || gv.GroupKnown != want.known || gv.VersionKnown != want.known {
			t.Errorf("%s: %+v", text, gv)
		}
		if pkg.HasAddToScheme != want.adds {
			t.Errorf("%s: AddToScheme is %t", text, pkg.HasAddToScheme)
		}
	}
}
