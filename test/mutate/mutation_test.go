package mutate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mutation changes a package a little. It may find nothing to change.
type mutation struct {
	name  string
	apply func(*mutator)
}

// mutator changes one package with the help of a source of random numbers.
type mutator struct {
	*rand.Rand
	pkg *apiPackage
	// subfolder is the folder of the package below its module.
	subfolder string
}

var mutations = []mutation{
	{"drop a line", func(m *mutator) {
		if f, i := m.line(nil); f != nil {
			f.lines = slices.Delete(f.lines, i, i+1)
		}
	}},
	{"repeat a line", func(m *mutator) {
		if f, i := m.line(nil); f != nil {
			f.lines = slices.Insert(f.lines, i, f.lines[i])
		}
	}},
	{"swap two lines", func(m *mutator) {
		if f, i := m.line(nil); f != nil {
			j := m.IntN(len(f.lines))
			f.lines[i], f.lines[j] = f.lines[j], f.lines[i]
		}
	}},
	{"drop a block", func(m *mutator) {
		if f, i := m.line(nil); f != nil {
			f.lines = slices.Delete(f.lines, i, min(len(f.lines), i+1+m.IntN(20)))
		}
	}},
	{"move a marker", func(m *mutator) {
		if f, i := m.line(isMarker); f != nil {
			line := f.lines[i]
			f.lines = slices.Delete(f.lines, i, i+1)
			if to, j := m.line(isDeclaration); to != nil {
				to.lines = slices.Insert(to.lines, j, line)
			}
		}
	}},
	{"add a marker", func(m *mutator) {
		if f, i := m.line(isDeclaration); f != nil {
			f.lines = slices.Insert(f.lines, i, "// "+m.marker()+"\n")
		}
	}},
	{"change a word of a marker", func(m *mutator) {
		if f, i := m.line(isMarker); f != nil {
			words := word.FindAllStringIndex(f.lines[i], -1)
			if len(words) == 0 {
				return
			}
			at := words[m.IntN(len(words))]
			other := word.FindAllString(m.marker(), -1)
			f.lines[i] = f.lines[i][:at[0]] + other[m.IntN(len(other))] + f.lines[i][at[1]:]
		}
	}},
	{"rename a type in one line", func(m *mutator) {
		if f, i := m.line(isType); f != nil {
			f.lines[i] = typeName.ReplaceAllString(f.lines[i], "type "+m.typeName()+" ")
		}
	}},
	{"rename a type everywhere", func(m *mutator) {
		if f, i := m.line(isType); f != nil {
			old := typeName.FindStringSubmatch(f.lines[i])[1]
			m.replaceAll(regexp.MustCompile(`\b`+old+`(List)?\b`), m.typeName()+"$1")
		}
	}},
	{"change a version", func(m *mutator) {
		version := pick(m, "v2", "v1beta1", "v1api20240901", "V1", "next-year", "__internal", "", "1", "v1.2")
		if m.IntN(2) == 0 {
			m.subfolder = m.subfolder[:strings.LastIndexByte(m.subfolder, '/')+1] + pick(m, "v2", "v1alpha1", "v1api20240901", "types", "internal", "main", "init", "fake", "testdata", "v1-a")
		}
		m.replaceAll(regexp.MustCompile(`Version: "[^"]*"`), `Version: "`+version+`"`)
	}},
	{"change the group", func(m *mutator) {
		group := pick(m, "", "core", "example.com", "main.example.com", "init", "Example", "a..b", "start.example.com", "type.example.com")
		m.replaceAll(regexp.MustCompile(`(GroupName += |Group: )"[^"]*"`), `$1"`+group+`"`)
		if m.IntN(2) == 0 {
			m.replaceAll(regexp.MustCompile(`(\+groupName=).*`), "${1}"+group)
		}
	}},
	{"change metadata", func(m *mutator) {
		old := pick(m, "metav1.ObjectMeta", "metav1.TypeMeta", "metav1.ListMeta")
		m.replaceOne(regexp.MustCompile(`^\s+`+regexp.QuoteMeta(old)+` `), pick(m, "\t*"+old+" ", "\tMeta "+old+" ", "\tinner.Meta ", "\tTypeMeta ", "\tmetav1.ObjectMeta ", "\tmetav1.TypeMeta "))
	}},
	{"change items", func(m *mutator) {
		m.replaceOne(regexp.MustCompile(`Items +\[\]`), pick(m, "Items []*", "Items ", "items []", "Items [3]", "Items map[string]"))
	}},
	{"make a type something else", func(m *mutator) {
		if f, i := m.line(isType); f != nil {
			name := typeName.FindStringSubmatch(f.lines[i])[1]
			f.lines = slices.Insert(f.lines, i, fmt.Sprintf("type %s%s %s\n\n", name, pick(m, "X", "", "List"), pick(m, "interface{}", "= int", "[]string", "struct{}", "= metav1.Time", "= "+name, "metav1.ObjectMeta", "struct { "+name+" }", "func()")))
		}
	}},
	{"make a type generic", func(m *mutator) {
		if f, i := m.line(isType); f != nil {
			f.lines[i] = typeName.ReplaceAllString(f.lines[i], "type ${1}["+pick(m, "T any", "T comparable", "T interface{ ~string }", "T ${1}[T]")+"] ")
		}
	}},
	{"change a receiver", func(m *mutator) {
		m.replaceOne(regexp.MustCompile(`^func \(in \*?(\w+)\) DeepCopyObject`), pick(m, "func (in $1) DeepCopyObject", "func (in *$1) DeepCopyObjekt", "func (in *Other) DeepCopyObject", "func DeepCopyObject"))
	}},
	{"change the package clause", func(m *mutator) {
		m.replaceOne(regexp.MustCompile(`^package \w+`), "package "+pick(m, "main", "v1_test", "other", "init", "types"))
	}},
	{"add a build constraint", func(m *mutator) {
		f := &m.pkg.files[m.IntN(len(m.pkg.files))]
		f.lines = slices.Insert(f.lines, 0, "//go:build "+pick(m, "ignore", "!ignore", "linux", "windows", "cgo")+"\n", "\n")
	}},
	{"drop a file", func(m *mutator) {
		i := m.IntN(len(m.pkg.files))
		if len(m.pkg.files) > 1 {
			m.pkg.files = slices.Delete(m.pkg.files, i, i+1)
		}
	}},
	{"change a byte", func(m *mutator) {
		f, i := m.line(func(line string) bool { return line != "" })
		if f != nil {
			line := []byte(f.lines[i])
			line[m.IntN(len(line))] = byte(m.IntN(256))
			f.lines[i] = string(line)
		}
	}},
}

var (
	typeName  = regexp.MustCompile(`^type (\w+) `)
	groupName = regexp.MustCompile(`(?:\+groupName=|Group: +")([\w.-]+)`)
	word      = regexp.MustCompile(`[A-Za-z0-9]+`)
)

func isMarker(line string) bool { return strings.Contains(line, "// +") }

func isType(line string) bool { return typeName.MatchString(line) }

func isDeclaration(line string) bool {
	return isType(line) || strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "var ")
}

func pick(m *mutator, from ...string) string { return from[m.IntN(len(from))] }

// line returns a line of the package that is as wanted, or no file. Mostly it is one of a file that
// people write.
func (m *mutator) line(is func(string) bool) (*sourceFile, int) {
	type position struct{ file, line int }
	var found []position
	generatedToo := m.IntN(8) == 0
	for f, file := range m.pkg.files {
		if strings.HasPrefix(file.name, "zz_generated") && !generatedToo {
			continue
		}
		for i, line := range file.lines {
			if is == nil || is(line) {
				found = append(found, position{f, i})
			}
		}
	}
	if len(found) == 0 {
		return nil, 0
	}
	at := found[m.IntN(len(found))]
	return &m.pkg.files[at.file], at.line
}

// flags returns some for the generator, and writes the files that they name.
func (m *mutator) flags(t *testing.T, dir string, pkg apiPackage) []string {
	t.Helper()
	switch m.IntN(8) {
	case 0:
		return []string{"--from=kubebuilder"}
	case 1:
		return []string{"--from=genclient"}
	case 2:
		return []string{"--plural-exceptions=" + m.typeName() + ":" + m.typeName()}
	case 3:
		return []string{"--exclude=" + "example.com/mod/" + m.subfolder + "." + m.typeName()}
	case 4:
		return []string{"--clientset-name=" + pick(m, "clientset", "fake", "scheme", "typed")}
	case 5, 6:
		m.writeCRD(t, dir)
		return []string{"--crd=crd.yaml"}
	}
	return nil
}

// writeCRD writes the CRD of a type of the package, which may agree with it.
func (m *mutator) writeCRD(t *testing.T, dir string) {
	t.Helper()
	kind, group := "Order", "example.com"
	if f, i := m.line(isType); f != nil {
		kind = typeName.FindStringSubmatch(f.lines[i])[1]
	}
	if f, i := m.line(groupName.MatchString); f != nil {
		group = groupName.FindStringSubmatch(f.lines[i])[1]
	}
	plural := pick(m, strings.ToLower(kind)+"s", "things", "x-y")
	version := pick(m, m.subfolder[strings.LastIndexByte(m.subfolder, '/')+1:], "v1", "v7")
	text := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s}
spec:
  group: %[2]q
  names: {kind: %[3]s, plural: %[1]s, listKind: %[3]sList}
  scope: %[4]s
  versions:
  - {name: %[5]s, served: %[6]t, storage: true, subresources: {%[7]s}, selectableFields: [{jsonPath: .spec.x}]}
`, plural, group, kind, pick(m, "Namespaced", "Cluster"), version, m.IntN(2) == 0, pick(m, "", "status: {}", "status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}"))
	if err := os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (m *mutator) replaceAll(old *regexp.Regexp, with string) {
	for _, f := range m.pkg.files {
		for i := range f.lines {
			f.lines[i] = old.ReplaceAllString(f.lines[i], with)
		}
	}
}

func (m *mutator) replaceOne(old *regexp.Regexp, with string) {
	if f, i := m.line(old.MatchString); f != nil {
		f.lines[i] = old.ReplaceAllString(f.lines[i], with)
	}
}

// typeName is a new name, or one that something else may have.
func (m *mutator) typeName() string {
	names := []string{"New", "Namespace", "Interface", "Type", "List", "Fake", "Foo_bar", "foo", "Ünïcode", "Client", "NewForConfig", "Metadata", "String", "Error", "X"}
	if f, i := m.line(isType); f != nil {
		old := typeName.FindStringSubmatch(f.lines[i])[1]
		names = append(names, old+"Namespace", old+"List", strings.ToUpper(old), old+"s")
	}
	return pick(m, names...)
}

// marker is one that the generator reads, with arguments that fit or not.
func (m *mutator) marker() string {
	path := pick(m, "spec", ".spec.replicas", "metadata.name", "metadata.labels[app]", "spec.template.spec.nodeName", ".status.phase", "spec.x", "items[*]", "", "metadata.creationTimestamp")
	return pick(m,
		"+genclient", "+genclient:nonNamespaced", "+genclient:noStatus", "+genclient:noVerbs", "+genclient:readonly",
		"+genclient:onlyVerbs=get,list", "+genclient:skipVerbs=list,watch", "+genclient:onlyVerbs=create", "+genclient=false",
		"+genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale",
		"+genclient:method=Pay,verb=update,subresource=pay,input=k8s.io/api/core/v1.Pod",
		"+genclient:method=List,verb=list", "+genclient:method=Apply,verb=apply", "+genclient:method=New,verb=create",
		"+resourceName=things", "+resourceName=", "+groupName=example.com", "+groupGoName=example", "+groupGoName=Start",
		"+kubebuilder:object:root=true", "+kubebuilder:subresource:status", "+kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath="+path,
		"+kubebuilder:resource:path=things,scope=Cluster", "+kubebuilder:resource:scope=Namespaced", "+kubebuilder:skip", "+kubebuilder:unservedversion",
		"+informer:index:name=byIt,path="+path, "+informer:index:name=list,path="+path, "+kubebuilder:selectablefield:JSONPath="+path,
		"+informer:view=Deployment", "+informer:view=Order", "+informer:view=Robot", "+informer:view=k8s.io/api/core/v1.Pod", "+genclient:nonnamespaced")
}
