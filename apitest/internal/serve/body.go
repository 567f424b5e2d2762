package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// Object decodes the body of create and update as an object of the request's kind, in the form in
// which it is stored: fields that the schema does not have are dropped, and defaults are set.
// validation is the option fieldValidation.
func (r *Request) Object(validation string) (*unstructured.Unstructured, error) {
	obj, strict, err := r.decode()
	if err != nil {
		return nil, err
	}
	return obj, r.complete(obj, strict, validation)
}

// decode decodes a body. strict has its errors if the client asks for strict validation.
func (r *Request) decode() (obj *unstructured.Unstructured, strict []error, err error) {
	mediaType, err := r.ContentType()
	if err != nil {
		return nil, nil, err
	}
	if mediaType == media.Protobuf && r.Kind.Custom() {
		return nil, nil, media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			fmt.Sprintf("%s %s: a custom resource cannot be sent as %s; send %s, which is the default of rest.Config.ContentType",
				r.Verb, r.Kind.GroupResource(), media.Protobuf, media.JSON))
	}
	var decoded map[string]any
	if mediaType == media.Protobuf {
		decoded, err = r.decodeProtobuf()
	} else {
		decoded, strict, err = r.decodeText(mediaType)
	}
	if err != nil {
		return nil, nil, r.undecodable(nil, err)
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if _, ok := decoded[name].(string); !ok && decoded[name] != nil {
			return nil, nil, r.undecodable(nil, kinds.Interpret(r.Body))
		}
	}
	if decoded == nil {
		decoded = map[string]any{}
	}
	return &unstructured.Unstructured{Object: decoded}, strict, nil
}

// decodeText decodes a body in JSON or YAML.
func (r *Request) decodeText(mediaType string) (decoded map[string]any, strict []error, err error) {
	data := r.Body
	var twice []error
	if mediaType == media.YAML {
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, nil, err
		}
		if _, err := yaml.YAMLToJSONStrict(r.Body); err != nil {
			twice = append(twice, err) // duplicate fields, which data does not have any more
		}
	}
	strict, err = kjson.UnmarshalStrict(data, &decoded)
	if err != nil || decoded == nil && r.Kind.Custom() {
		return nil, nil, cmp.Or(kinds.Interpret(data), err, runtime.NewMissingKindErr(string(data)))
	}
	return decoded, append(twice, strict...), nil
}

// complete checks the kind of a decoded object, and brings its fields into the form in which they
// are stored. strict has the errors of the body if the client asks for strict validation.
func (r *Request) complete(obj *unstructured.Unstructured, strict []error, validation string) error {
	gvk, err := r.kindOf(obj)
	if err != nil {
		return err
	}
	unknown, err := r.Normalize(obj)
	if err != nil {
		return r.undecodable(&gvk, err)
	}
	strict = append(strict, unknown...)
	if len(strict) == 0 {
		return nil
	}
	switch validation {
	case metav1.FieldValidationStrict:
		return r.undecodable(&gvk, runtime.NewStrictDecodingError(strict))
	case metav1.FieldValidationWarn, "":
		for _, err := range strict {
			r.Warn(err.Error())
		}
	}
	return nil
}

// kindOf checks apiVersion and kind of a body. Built-in kinds, also Scale, need neither.
func (r *Request) kindOf(obj *unstructured.Unstructured) (schema.GroupVersionKind, error) {
	want := r.BodyKind()
	apiVersion, _ := obj.Object["apiVersion"].(string)
	kind, _ := obj.Object["kind"].(string)
	if !r.Kind.Custom() || r.Subresource == "scale" { // their decoder knows what to expect
		apiVersion, kind = cmp.Or(apiVersion, want.GroupVersion().String()), cmp.Or(kind, want.Kind)
		obj.Object["apiVersion"], obj.Object["kind"] = apiVersion, kind
	}
	if kind == "" {
		return want, r.undecodable(nil, runtime.NewMissingKindErr(string(r.Body)))
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return want, r.undecodable(nil, err)
	}
	gvk := gv.WithKind(kind)
	if !r.Kind.Custom() && gvk != want && (gv == want.GroupVersion() || !kinds.IsBuiltIn(gvk)) {
		return gvk, r.undecodable(&gvk, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk))
	}
	if r.Subresource == "scale" && gvk != want {
		return gvk, r.undecodable(nil, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk))
	}
	if gv != want.GroupVersion() {
		return gvk, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", gv, want.GroupVersion()))
	}
	return gvk, nil
}

// undecodable is the error for a body that cannot be decoded. gvk is nil if its kind is not known.
func (r *Request) undecodable(gvk *schema.GroupVersionKind, err error) error {
	if r.Subresource == "scale" && r.Kind.Custom() {
		return apierrors.NewBadRequest(`no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`)
	}
	if gvk != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, r.BodyKind().Kind, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", r.BodyKind().Kind, err, summary(r.Body)))
}

// summary is the beginning of a body, for errors.
func summary(body []byte) string {
	const most = 30
	switch {
	case len(body) == 0:
		return "<empty>"
	case bytes.HasPrefix(body, []byte("{")):
		if len(body) > most {
			return string(body[:most]) + " ..."
		}
		return string(body)
	}
	if len(body) > most {
		return fmt.Sprintf("%x ...", body[:most])
	}
	return fmt.Sprintf("%x", body)
}

// subresourceBody decodes the body of a create of a subresource, such as an Eviction.
func (r *Request) subresourceBody() (map[string]any, error) {
	obj, _, err := r.decode()
	if err != nil {
		return nil, err
	}
	if obj.GetKind() == "Eviction" && obj.GetAPIVersion() == "policy/v1beta1" {
		obj.SetAPIVersion("policy/v1") // a kube-apiserver takes both
	}
	_, err = r.kindOf(obj)
	return obj.Object, err
}

// decodeProtobuf decodes a body in protobuf.
func (r *Request) decodeProtobuf() (map[string]any, error) {
	gvk := r.BodyKind()
	var into runtime.Object
	switch {
	case gvk == r.Kind.GroupVersionKind && r.Kind.Type != nil:
		into = r.Kind.Type.DeepCopyObject()
	case r.Scheme.Recognizes(gvk):
		var err error
		if into, err = r.Scheme.New(gvk); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the server has no Go type of %s; give it one by WithScheme, or use JSON", gvk.Kind)
	}
	sent, err := media.UnmarshalProtobuf(r.Body, into)
	if err != nil {
		return nil, err
	}
	into.GetObjectKind().SetGroupVersionKind(sent) // complete checks it
	return runtime.DefaultUnstructuredConverter.ToUnstructured(into)
}

// DeleteOptions decodes the options of a deletion, from the body or from the query.
func (r *Request) DeleteOptions() (*metav1.DeleteOptions, error) {
	options := &metav1.DeleteOptions{}
	if len(r.Body) == 0 {
		if err := r.Options(options); err != nil {
			return nil, err
		}
	} else {
		mediaType, err := r.ContentType()
		if err != nil {
			return nil, err
		}
		if err := decodeDeleteOptions(r.Body, mediaType, options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	return options, rest.CheckDeleteOptions(options)
}

// decodeDeleteOptions decodes a body, and checks its kind. The group may be any: clients send that of the resource.
func decodeDeleteOptions(body []byte, mediaType string, options *metav1.DeleteOptions) error {
	if err := unmarshalOptions(body, mediaType, options); err != nil {
		return err
	}
	if kind := options.Kind; kind != "" && kind != "DeleteOptions" {
		return fmt.Errorf("no kind %q is registered for version %q in scheme %q", kind, options.APIVersion, "pkg/runtime/scheme.go:111")
	}
	return nil
}

func unmarshalOptions(body []byte, mediaType string, options *metav1.DeleteOptions) error {
	if mediaType == media.Protobuf {
		sent, err := media.UnmarshalProtobuf(body, options)
		options.SetGroupVersionKind(sent)
		return err
	}
	if mediaType == media.YAML {
		var err error
		if body, err = yaml.YAMLToJSON(body); err != nil {
			return err
		}
	}
	if err := kinds.Interpret(body); err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(body, options)
}

// ObjectName is the name in the URL of a request, or for a create that in the body.
func (r *Request) ObjectName() string {
	if r.Verb != "create" || r.Name != "" || r.Kind == nil {
		return r.Name
	}
	obj, err := r.Object(metav1.FieldValidationIgnore)
	if err != nil {
		return ""
	}
	return obj.GetName()
}

// sizedBody is a body of which all bytes are there.
type sizedBody struct{ *bytes.Reader }

func (sizedBody) Close() error { return nil }

func bodyOf(content []byte) io.ReadCloser { return sizedBody{bytes.NewReader(content)} }
