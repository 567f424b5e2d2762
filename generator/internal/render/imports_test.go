package render

import (
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	i := newImports()
	for _, test := range []struct{ path, want string }{
		{"example.com/a/shop", "shop"},
		{"example.com/b/shop", "othershop"},
		{"example.com/a/shop", "shop"},
		{"example.com/c/shop", "othershop2"},
		{"example.com/d/shop", "othershop3"},
	} {
		if got := i.use(test.path, "shop", "othershop"); got != test.want {
			t.Errorf("%s is called %s, want %s", test.path, got, test.want)
		}
	}
	if got := i.use("k8s.io/apimachinery/pkg/apis/meta/v1", "metav1", "other"); got != "metav1" {
		t.Errorf("a known package is called %s", got)
	}
	for _, name := range []string{"opts", "result", "cache", "metav1", "type", "error", "string", "nil", "len"} {
		if got := i.use("example.com/apis/"+name, name, name+"informers"); got != name+"informers" {
			t.Errorf("a package is called %s, which means something else", got)
		}
	}
}

// TestAddTo checks that packages are imported, and no other names.
func TestAddTo(t *testing.T) {
	i := newImports()
	i.use("example.com/apis/shop/v1", "shopv1")
	i.use("example.com/apis/unused/v1", "unusedv1")
	const body = `// Package p is a package.
package p
type order struct { shopv1.Order; fmt string }
// rest.Config is only in a comment.
func (o *order) f(ctx context.Context, watch order) { time := o; time.f(ctx, watch); other.f(watch.fmt, metav1.Now()) }
`
	const want = `// Package p is a package.
package p

import (
	"context"

	shopv1 "example.com/apis/shop/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type order struct {
	shopv1.Order
	fmt string
}

// rest.Config is only in a comment.
func (o *order) f(ctx context.Context, watch order) {
	time := o
	time.f(ctx, watch)
	other.f(watch.fmt, metav1.Now())
}
`
	if got, _, err := i.addTo([]byte(body)); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

func TestUnparsable(t *testing.T) {
	_, _, err := newImports().addTo([]byte("package p\n\nfunc f( {\n"))
	if err == nil || !strings.Contains(err.Error(), "3:9") || !strings.Contains(err.Error(), "    3\tfunc f( {\n") {
		t.Errorf("the error does not show the line: %v", err)
	}
}
