package decoding

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TestErrorsOfSecretsHaveNoText checks that a decoder knows Secrets by their type, also
// where no one says the kind.
func TestErrorsOfSecretsHaveNoText(t *testing.T) {
	const text = `{"metadata":{"name":"a"},"data":{"hush":"hush!"}}`
	_, err := wire.NewDecoder(reflect.TypeFor[*corev1.Secret](), wire.Options{}, nil).Decode([]byte(text))
	if want := "object a cannot be decoded at /data/*: a JSON string does not fit the Go type []uint8"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = wire.NewDecoder(reflect.TypeFor[*corev1.ConfigMap](), wire.Options{}, nil).Decode([]byte(strings.Replace(text, `"hush!"`, `5`, 1)))
	if err == nil || !strings.Contains(err.Error(), "at /data/hush: ") || !strings.Contains(err.Error(), "`") {
		t.Errorf("the error of a ConfigMap is %v", err)
	}
}
