package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// hush is a text that must not be shown.
const hush = "hush4711hush"

var widget = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func internal(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: 500, Reason: metav1.StatusReasonInternalError, Message: message}}
}

// decoded returns the error of an object with hush in a key and a value, as a Decoder makes it.
func decoded(t *testing.T, text string) error {
	t.Helper()
	_, err := wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{}, nil).Decode([]byte(text))
	if err == nil || !strings.Contains(err.Error(), hush) {
		t.Fatalf("%v does not have the secret", err)
	}
	return err
}

// inErrors has errors with hush in each part that may have text of an object, or a credential. The
// value is a text that is shown nevertheless.
func inErrors(t *testing.T) map[error]string {
	object := decoded(t, `{"metadata":{"name":"a","labels":{"`+hush+`":["`+hush+`"]}}}`)
	text := decoded(t, `{"metadata":{"name":"a","generation":"`+hush+`"}}`)
	broken := decoded(t, `{"metadata":{"name":"a","annotations":{"a":"`+hush+`" 5}}}`)
	return map[error]string{
		object:                             "object a cannot be decoded at /metadata/labels/*",
		text:                               "object a cannot be decoded at /metadata/generation",
		broken:                             "makes the JSON invalid",
		fmt.Errorf("list: %w", object):     "object a cannot be decoded",
		fmt.Errorf("%s: %w", hush, object): "object a cannot be decoded",
		&wire.SyntaxError{Near: hush}:      "not that of a Kubernetes API",
		&wire.TooLargeError{Limit: 5, Name: "a", Begin: hush}:                                                  "has more than 5 bytes",
		&wire.DecodeError{Name: "a", Path: "/" + hush, Err: errors.New(hush)}:                                  "object a cannot be decoded",
		&status.HandlerPanicError{Handler: "h", Value: hush, Stack: []byte(hush)}:                              "handler h panicked: the value of the panic is in the log",
		&status.ObjectError{Resource: widget, Err: fmt.Errorf("transform: " + hush)}:                           "widgets.example.com",
		errors.Join(errors.New("a"), &status.HandlerPanicError{Value: hush}):                                   "panicked",
		internal("conversion webhook for example.com/v1, Kind=Foo failed: bad " + hush):                        "conversion webhook for example.com/v1, Kind=Foo failed: the reason is not shown",
		internal(`conversion webhook for a/v1, Kind=F failed: Post "https://u:` + hush + `@hook/": x509: bad`): `Post "https://hook/": x509: bad`,
		&url.Error{Op: "Get", URL: "https://user:" + hush + "@host/api", Err: errors.New("refused")}:           "https://host/api",
		&url.Error{Op: "Get", URL: "https://" + hush + "@host/api", Err: errors.New("refused")}:                "https://host/api",
		errors.New("dial https://a@b:" + hush + "@host: refused"):                                              "https://host",
		errors.New("header Authorization: Bearer " + hush):                                                     "Bearer …",
		errors.New("header Authorization: basic " + hush + "=="):                                               "basic …",
		errors.New("token eyJhbGciOiJSUzI1NiJ9." + hush + ".c2ln is expired"):                                  "token … is expired",
		errors.New("Get https://host/?access_token=" + hush + "&a=b: refused"):                                 "access_token=…&a=b",
		errors.New("password=" + hush):                                                                         "password=…",
		errors.New(`proxy: {"user":"a","password":"` + hush + `","code":5}`):                                   `"password":"…","code":5`,
		errors.New(`proxy: {\"client_secret\": \"` + hush + `\"}`):                                             `client_secret`,
		errors.New("password='" + hush + " " + hush + "' is wrong"):                                            "password=… is wrong",
		errors.New("password: " + hush + " is wrong"):                                                          "password: … is wrong",
		errors.New("Authorization: Token " + hush):                                                             "Authorization: Token …",
		errors.New("X-Auth-Token: " + hush):                                                                    "X-Auth-Token: …",
		errors.New("Get https://host/?X-Amz-Signature=" + hush + "&a=b: refused"):                              "X-Amz-Signature=…&a=b",
		errors.New("Get https://host/?sig=" + hush + "&key=" + hush + "&a=b: refused"):                         "sig=…&key=…&a=b",
		errors.New("AWS_SECRET_ACCESS_KEY=" + hush):                                                            "AWS_SECRET_ACCESS_KEY=…",
		errors.New("-----BEGIN RSA PRIVATE KEY-----\n" + hush + "\n-----END RSA PRIVATE KEY----- is bad"):      "… is bad",
		errors.New("-----BEGIN PRIVATE KEY-----\n" + hush):                                                     "…",
	}
}

// readJSON returns the report about an informer as JSON.
func readJSON(t *testing.T, s status.Informer, r Reader) string {
	t.Helper()
	r.Sources = []status.Source{source{s}}
	text, err := json.Marshal(r.Read())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSecrets puts a secret into each part of an informer that could have it, and looks for it in
// the report.
func TestSecrets(t *testing.T) {
	check := func(what, shown string, s status.Informer) {
		t.Helper()
		text := readJSON(t, s, Reader{})
		if at := strings.Index(text, hush); at >= 0 {
			t.Errorf("%s: the secret is in …%s…", what, text[max(0, at-100):min(len(text), at+30)])
		}
		want, err := json.Marshal(shown)
		if err != nil || !strings.Contains(text, string(want[1:len(want)-1])) {
			t.Errorf("%s: %s is not in %s", what, want, text)
		}
	}
	with := func(change func(*status.Informer)) status.Informer {
		s := status.Informer{Resource: widget, Status: status.Status{Phase: status.Degraded}}
		change(&s)
		return s
	}
	for err, shown := range inErrors(t) {
		reasons := []status.Reason{status.ServerError, status.Unreachable, status.Decode, status.HandlerPanic, ""}
		for _, reason := range reasons {
			if reason == status.Decode && !wire.IsDecodeError(err) {
				continue // its text is hidden as a whole
			}
			check(fmt.Sprintf("%T %v, %s", err, err, reason), shown, with(func(s *status.Informer) { s.Status.Err, s.Status.Reason = err, reason }))
			check("in a namespace", shown, with(func(s *status.Informer) {
				s.Status.Scopes = []status.Scope{{Namespace: "a", Status: status.Status{Phase: status.Degraded, Err: err, Reason: reason}}, {Namespace: "b"}}
			}))
		}
		check("the informer that has the scopes", "its scopes come from an informer that is not synced: widgets.example.com: Degraded", with(func(s *status.Informer) {
			of := status.Status{Phase: status.Degraded, Resource: widget, Err: err, Reason: status.Decode, Undecodable: []*wire.DecodeError{{Name: "a", Near: hush, Err: errors.New(hush)}}}
			s.Status.Awaits = &status.NotSynced{Reason: of.String(), Status: of}
		}))
		if state := (*wire.DecodeError)(nil); errors.As(err, &state) {
			check("undecodable", "a", with(func(s *status.Informer) { s.Status.Undecodable = []*wire.DecodeError{state} }))
		}
	}
	check("an unknown error of the decoder", "the reason is not shown", with(func(s *status.Informer) { s.Status.Err, s.Status.Reason = errors.New(hush), status.Decode }))
	check("near", "broken", with(func(s *status.Informer) {
		s.Status.Undecodable = []*wire.DecodeError{{Name: "broken", Path: "/" + hush, Near: hush, Err: errors.New(hush)}}
	}))
	for server, shown := range map[string]string{
		"https://user:" + hush + "@host:6443/k8s?token=" + hush + "#" + hush: "https://host:6443/k8s",
		"https://" + hush + "@host": "https://host",
		"user:" + hush + "@host":    "an address that is not a URL",
		"https://a b:" + hush + "@": "an address that is not a URL",
	} {
		check("the server "+server, shown, with(func(s *status.Informer) { s.Server = server }))
	}
}

// TestObjectText shows with the option what TestSecrets does not find.
func TestObjectText(t *testing.T) {
	state := &wire.DecodeError{}
	if !errors.As(decoded(t, `{"metadata":{"name":"a","generation":"`+hush+`"}}`), &state) {
		t.Fatal("no DecodeError")
	}
	s := status.Informer{Resource: widget, Status: status.Status{Phase: status.Degraded, Reason: status.Decode, Err: state, Undecodable: []*wire.DecodeError{state}}}
	if n := strings.Count(readJSON(t, s, Reader{ObjectText: true}), hush); n < 2 {
		t.Errorf("the text of the object is there %d times", n)
	}
	s.Status.Err = errors.New("Authorization: Bearer " + hush)
	s.Status.Undecodable = nil
	if strings.Contains(readJSON(t, s, Reader{ObjectText: true}), hush) {
		t.Error("the option shows credentials")
	}
}
