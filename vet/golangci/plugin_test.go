package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/typedinformers/informer-gen/vet"
	_ "github.com/typedinformers/informer-gen/vet/golangci"
)

func TestPluginHasAllAnalyzers(t *testing.T) {
	create, err := register.GetPlugin("informervet")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := create(nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil || len(analyzers) != len(vet.Analyzers()) || plugin.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("the plugin has %d analyzers, error %v and mode %s", len(analyzers), err, plugin.GetLoadMode())
	}
}
