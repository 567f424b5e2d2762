package report

// CustomResources is the kind that is measured against a whole kube-apiserver, besides Pods.
const CustomResources = "custom resources"

// Other is the mode of our informers that is not their default for the kind: pages for
// protobuf, and a streaming list for JSON.
const Other = "other"

// Percentiles are those of the time from the response to a write until the handler receives
// the update.
var Percentiles = []float64{50, 99, 99.9}

// Phase is what one phase of a client against a kube-apiserver has cost, as far as it is
// measured.
type Phase struct {
	Seconds    float64
	CPUSeconds float64
	PeakBytes  int64 `json:",omitempty"`
	// DelayMilliseconds are at Percentiles. They are negative if an update is received
	// before the response to its write.
	DelayMilliseconds []float64 `json:",omitempty"`
	Digest            string    `json:",omitempty"`
	// ContentType is that of the list.
	ContentType string `json:",omitempty"`
}

// Floor is what one request costs whose answer is thrown away.
type Floor struct {
	Seconds float64
	// CPUSeconds are those of the client.
	CPUSeconds  float64
	Bytes       int
	ContentType string
}
