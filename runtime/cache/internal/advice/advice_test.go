package advice

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
	"unicode"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var (
	foos = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}
	pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

func refused(user, text string) error {
	return fmt.Errorf("list: %w", apierrors.NewForbidden(foos.GroupResource(), "", fmt.Errorf("User %q %s", user, text)))
}

func manyNames(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("team-%03d", i))
	}
	return names
}

func TestForbidden(t *testing.T) {
	const account = "system:serviceaccount:team-a:operator"
	for name, test := range map[string]struct {
		failure              Failure
		text, comment, check string
	}{
		"all namespaces": {
			Failure{Resource: foos, Verb: "list", Err: refused(account, "cannot list resource")},
			"The server does not allow service account operator of namespace team-a to list foos.example.com. Add the rule to a ClusterRole, and bind it to that service account with a ClusterRoleBinding.",
			"a rule of a ClusterRole",
			"kubectl auth can-i list foos.example.com --all-namespaces --as system:serviceaccount:team-a:operator",
		},
		"one namespace": {
			Failure{Resource: foos, Verb: "watch", Namespaces: []string{"team-b"}, Err: refused("robot", "cannot watch resource")},
			"The server does not allow user robot to watch foos.example.com in namespace team-b. Add the rule to a Role in that namespace, and bind it to that user with a RoleBinding there.",
			"a rule of a Role in namespace team-b",
			"kubectl auth can-i watch foos.example.com -n team-b --as robot",
		},
		"200 namespaces": {
			Failure{Resource: foos, Verb: "list", Namespaces: manyNames(200), Err: errors.New("no")},
			"The server does not allow the program to list foos.example.com in 200 namespaces (team-000, team-001, team-002 and 197 more). Add the rule to a ClusterRole, and bind it to the service account of the program with a RoleBinding in each of these namespaces.",
			"a rule of a ClusterRole, for a RoleBinding in each of 200 namespaces: team-000, team-001, team-002 and 197 more",
			"kubectl auth can-i list foos.example.com -n team-000",
		},
		"all namespaces and named ones": {
			Failure{Resource: foos, Namespaces: []string{""}},
			"The server does not allow the program to list or watch foos.example.com in all namespaces. Add the rule to a ClusterRole, and bind it to the service account of the program with a ClusterRoleBinding.",
			"a rule of a ClusterRole",
			"kubectl auth can-i list foos.example.com --all-namespaces",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.failure.Reason = protocol.Forbidden
			got := Of(test.failure)
			want := Advice{
				Text:     test.text,
				Rule:     `{apiGroups: ["example.com"], resources: ["foos"], verbs: ["list", "watch"]}`,
				Manifest: "# " + test.comment + "\n- apiGroups: [\"example.com\"]\n  resources: [\"foos\"]\n  verbs: [\"list\", \"watch\"]\n",
				Check:    test.check,
			}
			if got != want {
				t.Errorf("got\n%+v, want\n%+v", got, want)
			}
			if got.Line() != want.Text+" The rule: "+want.Rule {
				t.Errorf("the line is %s", got.Line())
			}
		})
	}
	core := Of(Failure{Reason: protocol.Forbidden, Resource: pods})
	if want := `{apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]}`; core.Rule != want || core.Check != "kubectl auth can-i list pods --all-namespaces" {
		t.Errorf("the core group: %+v", core)
	}
	if unknown := Of(Failure{Reason: protocol.Forbidden}); unknown.Rule != "" || unknown.Manifest != "" || unknown.Check != "" || !strings.Contains(unknown.Text, "the resource") {
		t.Errorf("an unknown resource: %+v", unknown)
	}
}

func TestNotFound(t *testing.T) {
	builtIn := func(resource, version, group string) [3]string {
		return [3]string{
			"; it is a part of Kubernetes, so the server is too old or too new for " + version + ", has disabled it, or is no API server",
			"The server does not serve " + resource + " in " + version + ", which is a part of Kubernetes and needs no CustomResourceDefinition. The server is too old or too new for that version, or its --runtime-config disables it: use one that the server has. Or the URL is not that of an API server: check its host and its path.",
			`kubectl api-resources --api-group="` + group + `"`,
		}
	}
	custom := func(resource, group string) [3]string {
		name := resource + "." + group
		return [3]string{
			"; is its CRD installed?",
			"The server does not serve " + resource + " in " + group + "/v1. Install the CustomResourceDefinition " + name + "; if it is installed, it has to serve the version v1.",
			"kubectl get crd " + name + " -o jsonpath='{.spec.versions[*].name}'",
		}
	}
	for resource, want := range map[schema.GroupVersionResource][3]string{
		foos: custom("foos", "example.com"),
		pods: builtIn("pods", "v1", ""),
		{Group: "apps", Version: "v1", Resource: "deployments"}:                              builtIn("deployments", "apps/v1", "apps"),
		{Group: "policy", Version: "v1beta1", Resource: "podsecuritypolicies"}:               builtIn("podsecuritypolicies", "policy/v1beta1", "policy"),
		{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "flowschemas"}: builtIn("flowschemas", "flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io"),
		{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}:            custom("gateways", "gateway.networking.k8s.io"),
		{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshots"}:       custom("volumesnapshots", "snapshot.storage.k8s.io"),
		{Group: "autoscaling.k8s.io", Version: "v1", Resource: "verticalpodautoscalers"}:     custom("verticalpodautoscalers", "autoscaling.k8s.io"),
		{}: {"; is the resource installed?", "The server does not serve the resource. Install it: most have a CustomResourceDefinition.", ""},
	} {
		f := Failure{Reason: protocol.NotFound, Verb: "list", Resource: resource, Err: apierrors.NewNotFound(resource.GroupResource(), "")}
		if got := Of(f); [3]string{Brief(f), got.Text, got.Check} != want || got.Line() != got.Text {
			t.Errorf("%v:\n%q %+v, want\n%q", resource, Brief(f), got, want)
		}
		f.IsSource = true
		if got := Brief(f); resource.Resource != "" && got != want[0] || resource.Resource == "" && got != "" {
			t.Errorf("%v as the source of scopes: %q", resource, got)
		}
	}
	noWatch := Failure{Reason: protocol.NotFound, Verb: "watch", Resource: foos, Err: apierrors.NewMethodNotSupported(foos.GroupResource(), "watch")}
	if brief, a := Brief(noWatch), Of(noWatch); brief != "; its API server knows no watch" || !strings.HasPrefix(a.Text, "The server serves foos in example.com/v1, but this watch is not among its methods.") || a.Check != `kubectl api-resources -o wide --api-group="example.com"` {
		t.Errorf("without watches: %q %+v", brief, a)
	}
}

// TestCausesOfUnreachable checks that causes that are repaired at different places have different texts.
func TestCausesOfUnreachable(t *testing.T) {
	texts := map[string]string{}
	for want, err := range map[string]error{
		"The server did not answer":         errors.New("connection refused"),
		"name of the server cannot":         &net.DNSError{Name: "api"},
		"not signed by a CA":                &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"is for other names":                &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "api"}},
		"is not valid. Renew it":            &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}},
		"does not speak TLS":                tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		"open, but the server does not":     protocol.ErrUnanswered,
		"does not answer. Check its load, ": protocol.ErrListStalled,
	} {
		text := Of(Failure{Reason: protocol.Unreachable, Err: fmt.Errorf("watch: %w", err)}).Text
		if !strings.Contains(text, want) {
			t.Errorf("%v: %s", err, text)
		}
		texts[text] = want
	}
	if len(texts) != 7 {
		t.Errorf("%d different texts", len(texts))
	}
}

// TestEachReason checks that each reason has advice of its own.
func TestEachReason(t *testing.T) {
	texts := map[string]string{}
	for _, reason := range []string{
		protocol.Forbidden, protocol.Unauthorized, protocol.NotFound, protocol.Expired, protocol.TooManyRequests, protocol.ServerError, protocol.Refused,
		protocol.Redirected, protocol.Decode, protocol.ClosedEarly, protocol.NoBookmark, protocol.Unreachable, HandlerPanic, Misconfigured,
	} {
		text := Of(Failure{Reason: reason, Resource: foos}).Text
		if texts[text] != "" || text == Of(Failure{Reason: "Other"}).Text || !strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q", reason, text)
		}
		texts[text] = reason
	}
	builtIn := Of(Failure{Reason: protocol.ServerError, Resource: pods}).Text
	if custom := Of(Failure{Reason: protocol.ServerError, Resource: foos}).Text; strings.Contains(builtIn, "webhook") || !strings.Contains(custom, "the conversion webhook of foos.example.com") {
		t.Errorf("%q and %q", builtIn, custom)
	}
}

func TestDecode(t *testing.T) {
	for want, object := range map[string]*wire.DecodeError{
		"kubectl get foos.example.com web -o yaml -n team-a":       {Namespace: "team-a", Name: "web"},
		"kubectl get foos.example.com system:node -o yaml":         {Name: "system:node"},
		"kubectl get foos.example.com Web_1.a@b -o yaml -n team-a": {Namespace: "team-a", Name: "Web_1.a@b"},
	} {
		if got := Of(Failure{Reason: protocol.Decode, Resource: foos, Err: fmt.Errorf("list: %w", object)}).Check; got != want {
			t.Errorf("the command is %q, want %q", got, want)
		}
	}
}

// TestHostileNames has names that a server or a user has chosen to harm the reader.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"a; rm -rf ~", "$(reboot)", "--kubeconfig=/x", "-A", "a\nb", "a'b", `a"b`, "\x1b[31m", "a b", "`id`", "a\u202eb", strings.Repeat("x", 3000), "é"} {
		resource := foos
		resource.Resource = name
		for _, f := range []Failure{
			{Resource: foos, Namespaces: []string{name}},
			{Resource: foos, Err: fmt.Errorf("User \"%s\" cannot list resource", name)},
			{Resource: foos, Err: &wire.DecodeError{Name: name, Err: errors.New("bad")}},
			{Resource: foos, Err: &wire.DecodeError{Namespace: name, Name: "a", Err: errors.New("bad")}},
			{Resource: resource},
		} {
			for _, reason := range []string{protocol.Forbidden, protocol.NotFound, protocol.Decode, protocol.ServerError} {
				f.Reason = reason
				a := Of(f)
				for _, line := range append(strings.Split(a.Manifest, "\n"), a.Line()) {
					if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) || len(line) > 4000 {
						t.Errorf("%q: a line is %q", name, line)
					}
				}
				if strings.Contains(a.Check, name) {
					t.Errorf("%q: the command is %s", name, a.Check)
				}
			}
		}
	}
}

func TestTextsWithoutAFailure(t *testing.T) {
	for _, test := range []struct {
		got  Advice
		want string
	}{
		{Listing(90*time.Second, false, 0), "The server has sent nothing of the first list for 1m30s."},
		{Listing(90*time.Second, false, 700), "The first list has taken 1m30s so far, and 700 B of it were read."},
		{Listing(90*time.Second, false, 3<<19), "and 1.5 MiB of it were read."},
		{Listing(90*time.Second, false, 90<<10), "and 90 KiB of it were read."},
		{Listing(90*time.Second, true, 700), "The informer has been listing again for 1m30s, and serves its last state"},
		{Pending(), "Call Start of its factory"},
		{Stopped(), "It does not run again."},
		{Handler("a\nb", 90*time.Second, 7), `Handler a\nb has not returned from a call for 1m30s, and its backlog is 7.`},
	} {
		if !strings.Contains(test.got.Text, test.want) || test.got.Rule != "" || test.got.Line() != test.got.Text {
			t.Errorf("%+v, want %q", test.got, test.want)
		}
	}
}
