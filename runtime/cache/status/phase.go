package status

// Phase is the stage of an informer.
type Phase string

const (
	// Pending: it has not been started.
	Pending Phase = "Pending"
	// Listing: it is reading the collection, or waiting for the answer to its first
	// watch, or for the first SetScopes.
	Listing Phase = "Listing"
	// Watching: the cache follows the server. A watch is open, or it ended without a failure
	// of the server, which has two seconds to answer the next one.
	Watching Phase = "Watching"
	// Degraded: the last request failed and will be retried. The cache keeps the
	// objects that it had before.
	Degraded Phase = "Degraded"
	// Stopped: Run has ended.
	Stopped Phase = "Stopped"
)

// rank orders phases. Several Reflectors have the phase of the highest rank: all have to be
// Watching. They end together, so one that is Stopped counts for all.
var rank = map[Phase]int{Watching: 1, Pending: 2, Listing: 3, Degraded: 4, Stopped: 5}

// Reason is why an informer is degraded.
type Reason string

const (
	// Forbidden: the right to list or watch is missing.
	Forbidden Reason = "Forbidden"
	// Unauthorized: the server does not accept the credentials.
	Unauthorized Reason = "Unauthorized"
	// NotFound: the server does not serve the resource. Its CRD is not installed yet, or was deleted. Or the
	// resource is a part of Kubernetes, and the server is too old or too new for its version, or is no API server.
	NotFound Reason = "NotFound"
	// Expired: the server has forgotten the resourceVersion (410 Gone).
	Expired Reason = "Expired"
	// TooManyRequests: the server asks to slow down (429).
	TooManyRequests Reason = "TooManyRequests"
	// ServerError: the server failed (5xx), or is not ready to answer.
	ServerError Reason = "ServerError"
	// Refused: the server rejects the request, for example because of its selector.
	Refused Reason = "Refused"
	// Redirected: the server redirects to another host. The informer does not follow,
	// because it would send that host the credentials; see package redirect.
	Redirected Reason = "Redirected"
	// Decode: an object or a whole answer could not be read or transformed.
	Decode Reason = "Decode"
	// ClosedEarly: watches end normally as soon as they are open. Lists refresh the cache meanwhile. Over a typed client
	// they may have been cut off, which client-go does not report.
	ClosedEarly Reason = "ClosedEarly"
	// NoBookmark: a streaming list stalled, or the server ended it, before all of it had come. The informer lists
	// without a stream then.
	NoBookmark Reason = "NoBookmark"
	// HandlerPanic: a handler has panicked, or called runtime.Goexit, and continues; see
	// cache.WithHandlerPanicRecovery.
	HandlerPanic Reason = "HandlerPanic"
	// Misconfigured: the options of the informer have a mistake, so it never runs; see
	// cache.OptionError.
	Misconfigured Reason = "Misconfigured"
	// Unreachable: the server did not answer, or the connection was cut.
	Unreachable Reason = "Unreachable"
	// Unconfirmed is the cause of a relist of a scope after the watch has not confirmed a version. A Status never has
	// it, but counts such versions; see Status.Unconfirmed.
	Unconfirmed Reason = "Unconfirmed"
)
