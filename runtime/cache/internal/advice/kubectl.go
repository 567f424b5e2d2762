package advice

import (
	"regexp"
	"strings"
	"sync"
)

// word returns an expression that matches a name that a shell reads as one word, and kubectl as no flag.
// It is compiled when an informer first fails, because that takes a millisecond of each program's start.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,500}$`) })

// command joins words by spaces. It returns "" if one of names, which a server or a user may have
// chosen, is no word.
func command(names []string, words ...string) string {
	for _, name := range names {
		if !word().MatchString(name) {
			return ""
		}
	}
	return strings.Join(words, " ")
}

// canI asks the server whether the user of the error may send the request that was refused.
func (f *Failure) canI() string {
	verb := f.Verb
	if verb == "" {
		verb = "list"
	}
	resource := f.Resource.GroupResource().String()
	names := []string{resource}
	words := []string{"kubectl", "auth", "can-i", verb, resource}
	if f.isClusterWide() {
		words = append(words, "--all-namespaces")
	} else {
		names, words = append(names, f.Namespaces[0]), append(words, "-n", f.Namespaces[0])
	}
	if user := f.userName(); word().MatchString(user) {
		words = append(words, "--as", user)
	}
	return command(names, words...)
}

// getCRD lists the versions of the CRD.
func (f *Failure) getCRD() string {
	name := f.Resource.GroupResource().String()
	return command([]string{name}, "kubectl", "get", "crd", name, "-o", `jsonpath='{.spec.versions[*].name}'`)
}

// get shows an object.
func (f *Failure) get(namespace, name string) string {
	resource := f.Resource.GroupResource().String()
	names, words := []string{resource, name}, []string{"kubectl", "get", resource, name, "-o", "yaml"}
	if namespace != "" {
		names, words = append(names, namespace), append(words, "-n", namespace)
	}
	return command(names, words...)
}
