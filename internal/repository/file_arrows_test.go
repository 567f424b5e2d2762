package repository_test

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// order has the files of each package, so that a file uses only files before it. Files with a plus between them use one another, for
// these reasons: advice names the rights that are missing, and how to look at them with kubectl, in one text; a Log has one mutex
// and one timer rule for outages and for late handlers; an option of the debug page wraps its handler; a struct of the merge
// schema has lists, whose items are structs; a group has kinds, and a kind has its group.
var order = map[string]string{
	"apitest":                    "kind fault effect reactors server outage tracker",
	"apitest/internal/discovery": "discovery document aggregated resources documents",
	"apitest/internal/fields":    "entry times known patch configuration markers schema converter open manager",
	"apitest/internal/history":   "signal json state index history",
	"apitest/internal/kinds":     "kind builtin form scale registry managed",
	"apitest/internal/media":     "errors accept encode",
	"apitest/internal/openapi":   "openapi v2 v3",
	"apitest/internal/reactors":  "call lists watch react",
	"apitest/internal/rest":      "object request validate collector store write namespace grace create replace scale update patch apply delete subresource controllers seed verbs",
	"apitest/internal/selection": "fields token selection page",
	"apitest/internal/serve":     "request body selector encode list response handler parse verbs answer",
	"apitest/internal/watch":     "watches body",
	"observe":                    "state report problems summary read",
	"observe/debugpage":          "columns facts view history text page handler+options",
	"observe/healthz":            "report check handler",
	"runtime/cache": "object errors scope status hooks listwatch sync packing config " +
		"handler monitored indexer transform options field_options decoder_options " +
		"scope_options scope_reflector scope_set informer observed registration kind shared_informer factory lister generic " +
		"lease reflector lookup follow_scopes",
	"runtime/cache/internal/advice":    "advice+kubectl+missing",
	"runtime/cache/internal/cachetest": "objects errors typed source body model handler run log write widgets selector line cluster faults tap",
	"runtime/cache/internal/deltafifo": "delta queue",
	"runtime/cache/internal/frontier":  "claim frontier",
	"runtime/cache/internal/hook":      "hook observers",
	"runtime/cache/internal/indexer":   "kept content functions arrivals indexer apply",
	"runtime/cache/internal/initial":   "limit lists",
	"runtime/cache/internal/listed":    "undecodable list skip_log",
	"runtime/cache/internal/monitor":   "subscribers choice scope handler check monitor stats",
	"runtime/cache/internal/mutation":  "detector",
	"runtime/cache/internal/outage":    "handlers+log+outage",
	"runtime/cache/internal/pack":      "sizes encoding text line object metadata packing keeper source",
	"runtime/cache/internal/informer":  "scope feature wait informer handlers run",
	"runtime/cache/internal/ownwrites": "selection table watch writes",
	"runtime/cache/internal/scopes":    "owners stage wanted handover partition takeover feature",
	"runtime/cache/internal/processor": "notification coalesce observer listener processor",
	"runtime/cache/internal/protocol":  "reason pace backoff request state trail version",
	"runtime/cache/internal/reflector": "observer settings relist_request partial_list sink reflector list events watch run",
	"runtime/cache/internal/scoping":   "others rule selectors",
	"runtime/cache/internal/source":    "source bodies stream client shard view",
	"runtime/cache/internal/stats":     "histogram size traffic body",
	"runtime/cache/status":             "phase errors status change join stats informer advice",
	"runtime/cache/internal/store":     "names chunks keeper form index fingerprints marks slots walk store write",

	"cmd/informer-gen":                  "exit version flags migrate main",
	"cmd/informer-gen/internal/migrate": "options edit note command project gofile arguments call kubebuilder removal read gomod tree run generated names plan manager print apply migrate",
	"cmd/informer-gen/internal/rewrite": "file handler informer rewrite",
	"cmd/informer-gen/internal/shell":   "command scope+expand",
	"generator":                         "option_error output_pkg options boilerplate run check output result report generator aliases",
	"generator/internal/applyconfig":    "identity state name instance importable expression problem member subresource reach applyconfig",
	"generator/internal/decide": "input naming assembly verbs external reading genclient kubebuilder removal read " +
		"apply field method scale served group_version group protobuf stray kind view clientset manifest client_go written kinds " +
		"needed types decide alias",
	"generator/internal/deepcopy":  "decision method copying selection deepcopy",
	"generator/internal/describe":  "described generated shape method protobuf list type group_version registration package untagged open describe clientset",
	"generator/internal/golist":    "environment folder constraint message list advice",
	"generator/internal/gotype":    "gotype meta json protobuf",
	"generator/internal/input":     "exclusions run package types clientset library schema manifest",
	"generator/internal/load":      "loaded list load output questions",
	"generator/internal/manifest":  "node parse schema manifest",
	"generator/internal/markers":   "path value marker reader argument typeref method read registry parse",
	"generator/internal/merge":     "topology state check known default value+list+struct gotype manifest contradiction openapi merge",
	"generator/internal/model":     "errors wire_name method field served group+kind schema apply registration copy layout reserved set",
	"generator/internal/render":    "locals imports text subject file apply index copy method schema catalogue render aliases",
	"generator/internal/syntax":    "name body scope package comment constraint",
	"generator/internal/typecheck": "check limit json_name clarify field view closure cause prune question comment growth root checker",
	"generator/internal/write":     "header folder foreign open temporary stale neighbors plan apply diff",
}

// TestFilesUseOneAnotherOneWay checks which file of a package uses which: a function, a method, a type, a constant or a
// variable of it.
func TestFilesUseOneAnotherOneWay(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "./runtime/cache/...", "./observe/...", "./apitest/...", "./generator/...", "./cmd/...")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		listed, isKnown := order[name]
		if isKnown {
			known++
		}
		groups := map[string]int{}
		for n, group := range strings.Fields(listed) {
			for _, file := range strings.Split(group, "+") {
				groups[file+".go"] = n + 1
			}
		}
		groups["doc.go"] = 1
		for from, all := range usesOf(p) {
			if groups[from] == 0 && len(p.GoFiles) > 1 {
				t.Errorf("%s/%s is not in the order of files of this test; add it after those that it uses", name, from)
				continue
			}
			for to, what := range all {
				if groups[to] > groups[from] {
					t.Errorf("%s/%s uses %s of %s, which comes after it", name, from, what, to)
				}
			}
		}
	}
	if known != len(order) {
		t.Errorf("%d packages have an order of files, and %d of them were found", len(order), known)
	}
}

// usesOf returns, for each file of a package, the other files that it uses, with one name each.
func usesOf(p *packages.Package) map[string]map[string]string {
	uses := map[string]map[string]string{}
	for _, file := range p.Syntax {
		from := filepath.Base(p.Fset.Position(file.Pos()).Filename)
		uses[from] = map[string]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			obj := p.TypesInfo.Uses[id]
			if obj == nil || obj.Pkg() != p.Types {
				return true
			}
			_, isMethod := obj.(*types.Func)
			if to := filepath.Base(p.Fset.Position(obj.Pos()).Filename); to != from && (isMethod || obj.Parent() == p.Types.Scope()) {
				uses[from][to] = obj.Name()
			}
			return true
		})
	}
	return uses
}
