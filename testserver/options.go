package testserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/internal/loopback"
	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// Option configures a server. Options hold for all restarts of the server. If an option is given twice, the
// last one counts, except that WithCRDs and WithBuiltIn add up.
type Option func(*settings)

// settings are the values of the options.
type settings struct {
	dir                 string
	address             string
	crdPaths            []string
	builtIn             []runtime.Object
	kinds               *builtin.Kinds // with those of builtIn
	withoutDefaults     bool
	needNamespaces      bool
	marksFields         bool
	disableWatchCache   bool
	maxRequestsInFlight int
	minRequestTimeout   time.Duration
	log                 io.Writer
}

// WithCRDs installs the CRDs of these manifests before the server is returned. Each path is a file or a folder,
// as LoadCRDs reads it.
func WithCRDs(paths ...string) Option {
	return func(s *settings) { s.crdPaths = append(s.crdPaths, paths...) }
}

// WithBuiltIn serves further kinds of k8s.io/api, besides Namespaces, Events and Leases. Name each kind by an empty
// object, such as &corev1.ConfigMap{} or &appsv1.Deployment{}. One version of a kind can be served.
//
// With &admissionregistrationv1.MutatingWebhookConfiguration{} or &admissionregistrationv1.ValidatingWebhookConfiguration{},
// the server calls the webhooks of these configurations for built-in kinds and for custom resources. They need a
// clientConfig.url.
//
// Objects of these kinds get the defaults of common kinds, and are stored: there is no validation beyond metadata, no
// subresource besides status, and no controller.
func WithBuiltIn(objects ...runtime.Object) Option {
	return func(s *settings) { s.builtIn = append(s.builtIn, objects...) }
}

// WithoutDefaults stores objects of built-in kinds without the defaults of a kube-apiserver, as the in-memory server of fakes
// does. It is for tests that compare an object with what they have sent.
func WithoutDefaults() Option {
	return func(s *settings) { s.withoutDefaults = true }
}

// WithFieldDetector sets cache.WithFieldDetector of all informers over clients of Config, as crcache.WithFieldDetector does: fields that they
// leave out have odd values. A transport that replaces the bodies of responses turns it off.
func WithFieldDetector() Option {
	return func(s *settings) { s.marksFields = true }
}

// WithNamespaceLifecycle refuses to create objects in namespaces that do not exist, as a cluster does. By default
// no Namespace has to be created for an object.
func WithNamespaceLifecycle() Option {
	return func(s *settings) { s.needNamespaces = true }
}

// WithDir keeps the data and the kubeconfig in a directory, which is created if it does not exist. Data that an
// earlier server left there is served again. By default they are in a temporary directory, which Stop removes.
func WithDir(dir string) Option {
	return func(s *settings) { s.dir = dir }
}

// WithAddress sets the host and port of the server, which serves plain HTTP. The host must be a loopback
// address, because the server authenticates no one. Port 0 takes a free port and keeps it over Restart. The
// default is 127.0.0.1:0.
func WithAddress(address string) Option {
	return func(s *settings) { s.address = address }
}

// WithoutWatchCache serves every list and watch from etcd. Compact then expires continue tokens and watches at
// once. With the cache, compaction alone expires no watch.
func WithoutWatchCache() Option {
	return func(s *settings) { s.disableWatchCache = true }
}

// WithMaxRequestsInFlight bounds the reading requests that are served at one time. Watches do not count. One
// more request gets 429 with Retry-After. Requests of the server's own controllers count too. Zero means the
// default of the API server, 400.
func WithMaxRequestsInFlight(n int) Option {
	return func(s *settings) { s.maxRequestsInFlight = n }
}

// WithMinRequestTimeout sets how long a watch without timeoutSeconds lives at least. The server ends it between
// this and twice this time. The time must be whole seconds. Zero means the default of the API server, 30 minutes.
func WithMinRequestTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.minRequestTimeout = timeout }
}

// WithLog writes the log of the API server and of etcd to w. The server serializes its writes. By default the
// log is dropped. klog is shared by the process: see the package comment.
func WithLog(w io.Writer) Option {
	return func(s *settings) { s.log = w }
}

const defaultAddress = "127.0.0.1:0"

// newSettings applies the options, and returns all mistakes in them at once.
func newSettings(options []Option) (settings, []*apiextensionsv1.CustomResourceDefinition, error) {
	s := settings{address: defaultAddress}
	for _, option := range options {
		option(&s)
	}
	kinds, err := builtin.New(s.builtIn, !s.withoutDefaults)
	s.kinds = kinds
	var faults []error
	if err != nil {
		faults = append(faults, fmt.Errorf("WithBuiltIn: %w", err))
	}
	if err := checkLoopback(s.address); err != nil {
		faults = append(faults, err)
	}
	if s.maxRequestsInFlight < 0 {
		faults = append(faults, fmt.Errorf("WithMaxRequestsInFlight(%d): negative; give a positive number, or 0 for the default", s.maxRequestsInFlight))
	}
	if s.minRequestTimeout < 0 || s.minRequestTimeout%time.Second != 0 {
		faults = append(faults, fmt.Errorf("WithMinRequestTimeout(%v): not whole seconds; give 1s or more, or 0 for the default", s.minRequestTimeout))
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, path := range s.crdPaths {
		more, err := LoadCRDs(path)
		crds = append(crds, more...)
		faults = append(faults, err)
	}
	return s, crds, errors.Join(faults...)
}

func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("WithAddress(%q): not HOST:PORT: %w; write 127.0.0.1:0 for a free port", address, err)
	}
	if !loopback.Is(host) {
		return fmt.Errorf("WithAddress(%q): not a loopback address, and the server authenticates no one; listen on 127.0.0.1", address)
	}
	return nil
}
