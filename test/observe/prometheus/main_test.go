package prometheus

import (
	"flag"
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

var (
	server   = flag.String("prometheus", "", "`FILE` of the program prometheus; without it the tests that need it are skipped")
	promtool = flag.String("promtool", "", "`FILE` of the program promtool; without it the tests that need it are skipped")
)

// files are those of the module.
const files = "../../../observe/metrics/"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

// need skips a test without a program.
func need(t *testing.T, file *string, name string) string {
	t.Helper()
	if *file == "" {
		t.Skipf("needs -%s; run make test-observability", name)
	}
	return *file
}
