package markers

import (
	"fmt"
	"go/token"
	"strings"
	"testing"
)

// problems returns the problems of a marker, one a line.
func problems(m Marker) string {
	var all []string
	for _, p := range m.Problems {
		all = append(all, p.What+"; "+p.Fix)
	}
	return strings.Join(all, "\n")
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ line, on, name, want, problems string }{
		{"genclient", "Order", "genclient", "{Off:false}", ""},
		{"genclient=false", "Order", "genclient", "{Off:true}", "+genclient=false is not a marker; write +genclient, or remove the marker to generate nothing for Order"},
		{"genclient noStatus", "Order", "genclient", "{Off:false}", "+genclient noStatus is not a marker; did you mean +genclient:noStatus?"},
		{"genclient:noStatus=really", "Order", "genclient:noStatus", "{}", ""},
		{"genclient:readonly", "Order", "genclient:readonly", "[get list watch]", ""},
		{"genclient:onlyVerbs=get, list", "Order", "genclient:onlyVerbs", "[get list]", ""},
		{"genclient:skipVerbs=Get,apply", "Order", "genclient:skipVerbs", "[apply]", `+genclient:skipVerbs: unknown verb "Get"; did you mean get?`},
		{"resourceName", "Order", "resourceName", "", "+resourceName has no value; write the name of the resource, such as +resourceName=orders, or remove the marker"},
		{"groupName=shop", "", "groupName", "shop", ""},
		{`groupName="shop"`, "", "groupName", "shop", ""},
		{"groupGoName=`Shop`", "", "groupGoName", "Shop", ""},
		{`groupName="shop`, "", "groupName", "", `+groupName has a quote that is not closed: "shop; add the closing quote, or write \" within quotes`},
		{`resourceName="orders"`, "Order", "resourceName", "orders", ""},
		{`genclient:onlyVerbs="get, list"`, "Order", "genclient:onlyVerbs", "[get list]", ""},
		{`genclient:skipVerbs="get"list`, "Order", "genclient:skipVerbs", "[]", `+genclient:skipVerbs has text after the quotes of "get"; write all of the value in the quotes, or a comma after them`},
		{"groupName=shop", "Order", "groupName", "<nil>", ""}, // where it has no effect
		{"genclient", "", "genclient", "<nil>", ""},
		{"kubebuilder:object:root=true", "Order", "kubebuilder:object:root", "{}", ""},
		{"kubebuilder:object:root", "Order", "kubebuilder:object:root", "{}", ""},
		{"kubebuilder:resource:path=foos,scope=Cluster,shortName={f,fo}", "Order", "kubebuilder:resource", "{Path:foos Scope:Cluster Singular: ShortNames:[f fo] Categories:[]}", ""},
		{"kubebuilder:resource:singular=goose,shortName=f;fo,categories=\"all\"", "Order", "kubebuilder:resource", "{Path: Scope: Singular:goose ShortNames:[f fo] Categories:[all]}", ""},
		{"kubebuilder:subresource:scale:specpath=.spec.a,statuspath=.status.b,selectorpath=.status.c", "Order", "kubebuilder:subresource:scale",
			"{Spec:{Text:.spec.a Path:spec.a Problem:} Status:{Text:.status.b Path:status.b Problem:} Selector:{Text:.status.c Path:status.c Problem:}}", ""},
		{"kubebuilder:subresource:scale", "Order", "kubebuilder:subresource:scale",
			"{Spec:{Text: Path: Problem:} Status:{Text: Path: Problem:} Selector:{Text: Path: Problem:}}", "+kubebuilder:subresource:scale has no specpath; " +
				"write +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas"},
		{"kubebuilder:subresource:scale:specpath=.a,selectorpath=", "Order", "kubebuilder:subresource:scale",
			"{Spec:{Text:.a Path:a Problem:} Status:{Text: Path: Problem:} Selector:{Text: Path: Problem:path \"\" has an empty name; " +
				"write JSON names with single dots between them, such as spec.nodeName}}", "+kubebuilder:subresource:scale has no statuspath; " +
				"write +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas"},
		{"kubebuilder:object:root:=true", "Order", "kubebuilder:object:root", "{}", ""}, // controller-gen accepts it
		{"kubebuilder:object:generate:=false", "Order", "kubebuilder:object:generate", "{}", ""},
		{"kubebuilder:object:root=flase", "Order", "kubebuilder:object:root", "{}", `+kubebuilder:object:root: unknown value "flase"; did you mean false?`},
		{"kubebuilder:object:rot=true", "Order", "kubebuilder:object:rot", "{Meant:}", "unknown marker +kubebuilder:object:rot; did you mean +kubebuilder:object:root?"},
		{"kubebuilder:object:generat=true", "", "kubebuilder:object:generat", "{Meant:}", "unknown marker +kubebuilder:object:generat; did you mean +kubebuilder:object:generate?"},
		{"kubebuilder:subresource:statu", "Order", "kubebuilder:subresource:statu", "{Meant:}", "unknown marker +kubebuilder:subresource:statu; did you mean +kubebuilder:subresource:status?"},
		{"kubebuilder:subresource:sclae:specpath=.a", "Order", "kubebuilder:subresource:sclae:specpath", "{Meant:}",
			"unknown marker +kubebuilder:subresource:sclae:specpath; did you mean +kubebuilder:subresource:scale?"},
		{"kubebuilder:subresource:logs", "Order", "kubebuilder:subresource:logs", "{Meant:}", "unknown marker +kubebuilder:subresource:logs; " +
			"use one of +kubebuilder:subresource:status, +kubebuilder:subresource:scale"},
		{"kubebuilder:resource:scope=Clustr", "Order", "kubebuilder:resource", "{Path: Scope: Singular: ShortNames:[] Categories:[]}",
			`+kubebuilder:resource: unknown scope "Clustr"; did you mean Cluster?`},
		{"kubebuilder:resource:scope=\"Cluster\"", "Order", "kubebuilder:resource", "{Path: Scope:Cluster Singular: ShortNames:[] Categories:[]}", ""},
		{"kubebuilder:resource:scop=Cluster", "Order", "kubebuilder:resource", "{Path: Scope: Singular: ShortNames:[] Categories:[]}",
			`+kubebuilder:resource: unknown argument "scop"; did you mean scope?`},
		{"kubebuilder:subresource:scale:specPath=.a", "Order", "kubebuilder:subresource:scale",
			"{Spec:{Text: Path: Problem:} Status:{Text: Path: Problem:} Selector:{Text: Path: Problem:}}",
			`+kubebuilder:subresource:scale: unknown argument "specPath"; did you mean specpath?`},
		{"genclient:nonNamespaced=false", "Order", "genclient:nonNamespaced", "{}", "+genclient:nonNamespaced=false means the same as +genclient:nonNamespaced; remove the marker, or its value"},
		{`kubebuilder:resource:path="a"b`, "Order", "kubebuilder:resource", "{Path: Scope: Singular: ShortNames:[] Categories:[]}",
			`+kubebuilder:resource has text after the quotes of "a"; write all of the value in the quotes, or a comma after them`},
		{`kubebuilder:subresource:scale:specpath=".a\d"`, "Order", "kubebuilder:subresource:scale",
			"{Spec:{Text: Path: Problem:} Status:{Text: Path: Problem:} Selector:{Text: Path: Problem:}}",
			`+kubebuilder:subresource:scale has ".a\d", which is not a Go string; write \\ for a backslash, or use backquotes`},
		{`informer:index:name="a,path=b`, "Order", "informer:index", "{Name: Path:{Text: Path: Problem:}}",
			`+informer:index has a quote that is not closed: "a,path=b; add the closing quote, or write \" within quotes`},
		{`informer:index:name="a",path="b.c[\"d, e\"]"`, "Order", "informer:index", `{Name:a Path:{Text:b.c["d, e"] Path:b.c[d, e] Problem:}}`, ""},
		{`kubebuilder:selectablefield:JSONPath=".a`, "Order", "kubebuilder:selectablefield", "{Path:{Text: Path: Problem:}}",
			`+kubebuilder:selectablefield has a quote that is not closed: ".a; add the closing quote, or write \" within quotes`},
		{"kubebuilder:skip", "", "kubebuilder:skip", "{}", ""},
		{"kubebuilder:validation:Enum=a", "Order", "kubebuilder:validation:Enum", "<nil>", ""},
		{"informer:index:name=a,path=.b.c", "Order", "informer:index", "{Name:a Path:{Text:.b.c Path:b.c Problem:}}", ""},
		{"informer:index:name=a,of=b", "Order", "informer:index", "{Name:a Path:{Text: Path: Problem:}}",
			`+informer:index has no argument "of"; write +informer:index:name=byNodeName,path=spec.nodeName`},
		{"kubebuilder:selectablefield:JSONPath=`.a`", "Order", "kubebuilder:selectablefield", "{Path:{Text:.a Path:a Problem:}}", ""},
		{"informer:view=k8s.io/api/core/v1.Pod", "Order", "informer:view", "{Of:{Path:k8s.io/api/core/v1 Name:Pod}}", ""},
		{"informer:view=`Pod`", "Order", "informer:view", "{Of:{Path: Name:}}", "+informer:view=`Pod` does not name a kind; write it without quotes: +informer:view=Pod"},
		{"optional", "Order", "optional", "<nil>", ""},
		{" genclient", "Order", "", "<nil>", ""},
	} {
		pos := token.Position{Filename: "types.go", Line: 1, Column: 4}
		m := Parse("+"+test.line, pos, test.on)
		if got := fmt.Sprintf("%+v", m.Value); m.Name != test.name || got != test.want || problems(m) != test.problems || m.Pos != pos || m.Text != "+"+test.line {
			t.Errorf("+%s on %q is %s, with the value %s and the problems %q", test.line, test.on, m.Name, got, problems(m))
		}
	}
}

// TestMisspelled parses misspelled markers of informer-gen, and markers of other tools.
func TestMisspelled(t *testing.T) {
	for line, want := range map[string]string{
		"genclent":            "unknown marker +genclent; did you mean +genclient?",
		"genclinet":           "unknown marker +genclinet; did you mean +genclient?",
		"egnclient:readonly":  "unknown marker +egnclient:readonly; did you mean +genclient:readonly?",
		"negclinet":           "",
		"gneclinet":           "",
		"GenClient:noStatus":  "unknown marker +GenClient:noStatus; did you mean +genclient:noStatus?",
		"genclient:noStatuss": "unknown marker +genclient:noStatuss; did you mean +genclient:noStatus?",
		"genclient:xyz": "unknown marker +genclient:xyz; use one of +genclient:nonNamespaced, +genclient:noStatus, +genclient:noVerbs, " +
			"+genclient:onlyVerbs, +genclient:skipVerbs, +genclient:readonly, +genclient:method",
		"resourcename=a":                "unknown marker +resourcename; did you mean +resourceName?",
		"informer-view=Pod":             "unknown marker +informer-view; did you mean +informer:view?",
		"informers:index:name=a,path=b": "unknown marker +informers:index:name; did you mean +informer:index:name?",
		"informer:indexes:name=a":       "unknown marker +informer:indexes:name; did you mean +informer:index?",
		"informer=view":                 "unknown marker +informer; use one of +informer:index, +informer:view",
		"genclientset":                  "",
		"groupNames:a":                  "",
		"kubebuilder:resources:path=a":  "",
		"kubebuilder:object:generate":   "",
		strings.Repeat("x", 1<<20):      "", // at once
	} {
		if got := problems(Parse("+"+line, token.Position{}, "Order")); got != want {
			t.Errorf("+%.40s: %q, want %q", line, got, want)
		}
	}
}

// FuzzMarker parses arbitrary markers. The names in a path are parts of its text.
func FuzzMarker(f *testing.F) {
	for _, seed := range []string{
		"informer:index:name=byX=spec.x", "informer:index=name=a,path=b[*].c['d']", "kubebuilder:resource:path=a,shortName={b,c}=",
		"kubebuilder:selectablefield:JSONPath=`.a.b`", "genclient:method=A,verb=get,subresource=b", "a:b:c=d,e=\"f,g\"",
		"genclient x", "informer:index:name=\"\\u0061\",path=`b", "kubebuilder:resource:shortName=\"a;b\";`c`", "informer:view=a.B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, on := range []string{"Order", ""} {
			m := Parse("+"+text, token.Position{}, on)
			for _, path := range append((List{m}).FieldPaths(), fieldPath(text)) {
				for _, element := range path.Path {
					if element.Each == (element.Name != "") || !strings.Contains(path.Text, element.Name) {
						t.Errorf("the path %q has the element %+v", path.Text, element)
					}
				}
			}
			for _, p := range m.Problems {
				if p.What == "" || p.Fix == "" {
					t.Errorf("%q has the problem %+v", text, p)
				}
			}
		}
	})
}
