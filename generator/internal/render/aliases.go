package render

import (
	"bytes"
	"fmt"
	"text/template"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/templates"
)

// aliases is the data of the template of aliases.
type aliases struct {
	*file
	Package string
	Aliases []model.Aliased
}

// Aliases makes a file of the package packageName with aliases of the kinds of gv. It has no Header,
// because the user may change the file.
func Aliases(gv *model.GroupVersion, kinds []model.Aliased, packageName string, boilerplate []byte) ([]byte, error) {
	parsed, err := template.New("").ParseFS(templates.Files, "aliases.go.tmpl")
	if err != nil {
		return nil, fmt.Errorf("cannot parse the templates, please report it: %w", err)
	}
	f := &file{subject: subject{GV: gv}, imports: newImports()}
	var body bytes.Buffer
	if err := parsed.ExecuteTemplate(&body, "aliases.go.tmpl", aliases{f, packageName, kinds}); err != nil {
		return nil, fmt.Errorf("cannot execute the template of aliases, please report it: %w", err)
	}
	formatted, _, err := f.imports.addTo(body.Bytes())
	if err != nil {
		return nil, err
	}
	return withBoilerplate(boilerplate, formatted), nil
}
