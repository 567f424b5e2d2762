package markers

import (
	"fmt"
	"strings"
	"testing"
)

// TestArguments reads the arguments of markers. Those of controller-gen are as it reads them.
func TestArguments(t *testing.T) {
	for _, test := range []struct{ name, value, prefix, want string }{
		{"informer:index:name", "a,path=b.c", "informer:index", "name=a[a] path=b.c[b.c]"},
		{"informer:index", "name=a,path=b", "informer:index", "name=a[a] path=b[b]"},
		{"informer:index", "", "informer:index", ""},
		{"kubebuilder:resource:path", " a , shortName = {b, c} ,scope=Cluster", "kubebuilder:resource", "path=a[a] shortName={b, c}[b c] scope=Cluster[Cluster]"},
		{"kubebuilder:resource:flag", "", "kubebuilder:resource", "flag=[]"},
		// Quotes.
		{"a:b", "`.spec.color`", "a", "b=.spec.color[.spec.color]"},
		{"a:b", `"a\"b"`, "a", `b=a"b[a"b]`},
		{"a:b", `"\x41\u00e9\\\101"`, "a", `b=Aé\A[Aé\A]`},
		{"a:b", "`a\\\"b`", "a", `b=a\"b[a\"b]`},
		{"a:b", "\"a`b\"", "a", "b=a`b[a`b]"},
		{"a:b", "`a\"b`,c=d", "a", `b=a"b[a"b] c=d[d]`},
		{"a:b", `"a,b\",c=d",e=f`, "a", `b=a,b",c=d[a,b",c=d] e=f[f]`},
		{"a:b", "`a,b`,e=f", "a", `b=a,b[a,b] e=f[f]`},
		{"a:b", `"a=b"`, "a", "b=a=b[a=b]"},
		{"a:b", `"",c=d`, "a", "b=[] c=d[d]"},
		{"a:b", `" a "`, "a", "b= a [ a ]"},
		{"a:b", `"{[",c=d`, "a", "b={[[{[] c=d[d]"},
		// Quotes within a value are part of it.
		{"a:b", `.c[?(@.d=="e,f")],g=h`, "a", `b=.c[?(@.d=="e,f")][.c[?(@.d=="e,f")]] g=h[h]`},
		{"a:b", `c "d, e" f,g=h`, "a", `b=c "d, e" f[c "d, e" f] g=h[h]`},
		// A single quote stands for itself, and so does a backquote without another one.
		{"a:b", `it's,c=d`, "a", "b=it's[it's] c=d[d]"},
		{"a:b", `'c',d='e'`, "a", "b='c'['c'] d='e'['e']"},
		{"a:b", "^[^`]+$,c=\"d`,\"", "a", "b=^[^`]+$[^[^`]+$] c=d`,[d`,]"},
		{"a:b", "`c", "a", "b=`c[`c]"},
		// Lists.
		{"a:b", `c;d;"e;f, g"`, "a", `b=c;d;"e;f, g"[c d e;f, g]`},
		{"a:b", `{c,"d;e","f,}g",` + "`h`" + `},i=j`, "a", `b={c,"d;e","f,}g",` + "`h`" + `}[c d;e f,}g h] i=j[j]`},
		{"a:b", `"c,d",e=f`, "a", "b=c,d[c,d] e=f[f]"},
		{"a:b", `"c;d"`, "a", "b=c;d[c;d]"},
		{"a:b", `{"c"}`, "a", `b={"c"}[c]`},
		{"a:b", "{}", "a", "b={}[]"},
		{"a:b", "c;", "a", "b=c[c]"},
		// Mistakes.
		{"a:b", `"c`, "a", `a quote that is not closed: "c`},
		{"a:b", `"c\"`, "a", `a quote that is not closed: "c\"`},
		{"a:b", `c,d="e,f=g`, "a", `a quote that is not closed: "e,f=g`},
		{"a:b", `12" wide`, "a", `a quote that is not closed: " wide`},
		{"a:b", "\"c`", "a", "a quote that is not closed: \"c`"},
		{"a:b", `"\d"`, "a", `"\d", which is not a Go string`},
		{"a:b", `c;"\'"`, "a", `"\'", which is not a Go string`},
		{"a:b", `.c[?(@.d=~"\d")]`, "a", `"\d", which is not a Go string`},
		{"a:b", `"c"d`, "a", `text after the quotes of "c"`},
		{"a:b", `"c""d"`, "a", `text after the quotes of "c"`},
		{"a:b", "{c,`d`e}", "a", "text after the quotes of `d`"},
	} {
		r := reader{Marker: &Marker{Name: "a"}, value: test.value, rest: strings.TrimPrefix(test.name, test.prefix)}
		var all []string
		for _, a := range r.arguments() {
			all = append(all, fmt.Sprintf("%s=%s%v", a.key, a.value, a.words))
		}
		for _, p := range r.Problems {
			all = append(all, strings.TrimPrefix(p.What, "+a has "))
		}
		if got := strings.Join(all, " "); got != test.want {
			t.Errorf("%s=%s: %s, want %s", test.name, test.value, got, test.want)
		}
	}
}
