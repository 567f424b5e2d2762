package render

import (
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// aliases is the data of the template of aliases.
type aliases struct {
	*file
	Package string
	Aliases []model.Aliased
}

// Aliases makes a file of the package packageName with aliases of the kinds of gv. It has no model.Header,
// because the user may change the file.
func Aliases(gv *model.GroupVersion, kinds []model.Aliased, packageName string, boilerplate []byte) ([]byte, error) {
	parsed, err := parsed()
	if err != nil {
		return nil, err
	}
	f := &file{subject: subject{GV: gv}, path: "aliases of " + packageName, imports: newImports()}
	formatted, err := f.execute(parsed.Lookup("aliases.go.tmpl"), aliases{f, packageName, kinds})
	if err != nil {
		return nil, err
	}
	return withBoilerplate(boilerplate, formatted), nil
}
