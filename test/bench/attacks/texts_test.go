package attacks

import (
	"bytes"
	"fmt"
	"strings"
)

// text is an object that is expensive to read.
type text struct {
	name string
	// kind is pod, secret, crd or custom.
	kind string
	make func(size int) []byte
}

// head begins an object. It has a name, like every object of a cluster.
func head(apiVersion, kind string) string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"hostile","namespace":"default","uid":"u","resourceVersion":"7"}`, apiVersion, kind)
}

var (
	podHead    = head("v1", "Pod")
	secretHead = head("v1", "Secret")
	crdHead    = head("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	customHead = head("example.com/v1", "Custom")
)

// repeated returns begin, parts until the text has size bytes, and end. A part may have
// one %d, which is replaced by its number.
func repeated(size int, begin, part, separator, end string) []byte {
	var b bytes.Buffer
	b.WriteString(begin)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(separator)
		}
		if strings.Contains(part, "%") {
			fmt.Fprintf(&b, part, i)
		} else {
			b.WriteString(part)
		}
	}
	b.WriteString(end)
	return b.Bytes()
}

// nested returns begin, open repeated depth times, inner, shut repeated depth times, and
// end.
func nested(begin string, depth int, open, inner, shut, end string) []byte {
	return []byte(begin + strings.Repeat(open, depth) + inner + strings.Repeat(shut, depth) + end)
}

// deepest is how many levels a text has. Decoders and API servers reject 10,000.
const deepest = 9_000

// parts makes a text with repeated.
func parts(name, kind, begin, part, separator, end string) text {
	return text{name, kind, func(size int) []byte { return repeated(size, begin, part, separator, end) }}
}

// padded makes a text that is nested as deeply as allowed, with a long string inside.
func padded(name, kind, begin, open, shut, inner, end string) text {
	return text{name, kind, func(size int) []byte {
		levels := strings.Count(open, "{") + strings.Count(open, "[") - strings.Count(open, "}")
		depth := min(deepest/levels, size/4/(len(open)+len(shut)))
		rest := strings.Repeat("x", max(0, size-depth*(len(open)+len(shut))))
		return nested(begin, depth, open, strings.ReplaceAll(inner, "REST", rest), shut, end)
	}}
}

// towers makes a list of values that are nested depth times each.
func towers(name, open, shut string, depth int) text {
	return parts(name, "custom", customHead+`,"spec":[`, strings.Repeat(open, depth)+"{}"+strings.Repeat(shut, depth), ",", `]}`)
}

const badContainer = `{"name":"last","ports":[{"containerPort":"no number"}]}`

// texts are objects that an API server would store and send. None is invalid JSON or
// nested too deeply.
var texts = []text{
	// Fields of all objects and of pods.
	parts("one long annotation", "pod", podHead[:len(podHead)-1]+`,"annotations":{"a":"`, "some text, ", "", `"}}}`),
	parts("many annotations", "pod", podHead[:len(podHead)-1]+`,"annotations":{`, `"a%d":""`, ",", `}}}`),
	parts("escaped text", "pod", podHead[:len(podHead)-1]+`,"annotations":{"a":"`, `\u0041\n`, "", `"}}}`),
	parts("escaped keys", "pod", podHead[:len(podHead)-1]+`,"annotations":{`, `"\u0061%d":"\n"`, ",", `}}}`),
	parts("invalid UTF-8", "pod", podHead[:len(podHead)-1]+`,"annotations":{"a":"`, "\xff\xfe", "", `"}}}`),
	parts("halves of surrogates", "pod", podHead[:len(podHead)-1]+`,"annotations":{"a":"`, `\ud800`, "", `"}}}`),
	parts("managed fields", "pod", podHead[:len(podHead)-1]+`,"managedFields":[`, `{"manager":"m%d","operation":"Update","fieldsV1":{"f:a":{}}}`, ",", `]}}`),
	parts("fieldsV1 in each other in managed fields", "pod", podHead[:len(podHead)-1]+`,"managedFields":[`, `{"manager":"m%d","fieldsV1":`+strings.Repeat(`{"fieldsV1":`, 200)+"{}"+strings.Repeat("}", 200)+`}`, ",", `]}}`),
	parts("many finalizers", "pod", podHead[:len(podHead)-1]+`,"finalizers":[`, `"f%d"`, ",", `]}}`),
	parts("many owners", "pod", podHead[:len(podHead)-1]+`,"ownerReferences":[`, `{"uid":"%d"}`, ",", `]}}`),
	parts("white space", "pod", podHead+`,"spec":{`, "  \n\t", "", `}}`),
	parts("unknown members", "pod", podHead+`,`, `"x%d":1`, ",", `}`),
	parts("unknown members of the spec", "pod", podHead+`,"spec":{`, `"x%d":{}`, ",", `}}`),
	parts("names in other letters", "pod", podHead+`,`, `"METADATA":{}`, ",", `}`),
	parts("the same member again", "pod", podHead+`,`, `"spec":{"nodeName":"n%d"}`, ",", `}`),
	parts("metadata again", "pod", podHead+`,`, `"metadata":{"name":"hostile"}`, ",", `}`),
	parts("metadata last", "pod", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[`, `{"name":"c%d"}`, ",", `]},"metadata":{"name":"hostile","resourceVersion":"7"}}`),
	parts("many containers", "pod", podHead+`,"spec":{"containers":[`, `{}`, ",", `]}}`),
	parts("many quantities", "pod", podHead+`,"spec":{"overhead":{`, `"q%d":"0.000000001"`, ",", `}}}`),
	parts("many tolerations", "pod", podHead+`,"spec":{"tolerations":[`, `{"tolerationSeconds":1}`, ",", `]}}`),
	padded("unknown and deep", "pod", podHead+`,"x":`, `[`, `]`, `"REST"`, `}`),
	padded("unknown and deep objects", "pod", podHead+`,"x":`, `{"a":`, `}`, `"REST"`, `}`),
	parts("one long quantity", "pod", podHead+`,"spec":{"overhead":{"q":"`, "1234567890", "", `"}}}`),
	// Pods that fail near the end.
	parts("failing after unknown members", "pod", podHead+`,`, `"x%d":1`, ",", `,"spec":5}`),
	parts("failing after unknown members of the spec", "pod", podHead+`,"spec":{`, `"x%d":1`, ",", `,"nodeName":5}}`),
	parts("failing last container", "pod", podHead+`,"spec":{"containers":[`, `{}`, ",", `,`+badContainer+`]}}`),
	parts("all containers failing", "pod", podHead+`,"spec":{"containers":[`, badContainer, ",", `]}}`),
	parts("failing last annotation", "pod", podHead[:len(podHead)-1]+`,"annotations":{`, `"a%d":""`, ",", `,"last":5}}}`),
	parts("failing last quantity", "pod", podHead+`,"spec":{"overhead":{`, `"q%d":"1"`, ",", `,"last":"x"}}}`),
	parts("failing after a long quantity", "pod", podHead+`,"spec":{"overhead":{"q":"`, "1234567890", "", `"},"nodeName":5}}`),
	parts("failing after escaped text", "pod", podHead[:len(podHead)-1]+`,"annotations":{"a":"`, `\u0041\n`, "", `"}},"spec":5}`),
	parts("failing long key", "pod", podHead[:len(podHead)-1]+`,"annotations":{"`, `long key`, "", `":5}}}`),
	parts("failing escaped keys", "pod", podHead[:len(podHead)-1]+`,"annotations":{`, `"\u0061%d":""`, ",", `,"last":5}}}`),
	parts("failing after a long text", "pod", podHead+`,"spec":{"nodeName":"`, `text`, "", `","containers":5}}`),
	padded("failing after deep unknown members", "pod", podHead+`,"x":`, `[`, `]`, `"REST"`, `,"spec":5}`),
	// Fields of bytes.
	parts("long data", "secret", secretHead+`,"data":{"a":"`, `YWFh`, "", `"}}`),
	parts("many data", "secret", secretHead+`,"data":{`, `"a%d":"YQ=="`, ",", `}}`),
	parts("failing last data", "secret", secretHead+`,"data":{`, `"a%d":"YQ=="`, ",", `,"last":"?"}}`),
	parts("failing long data", "secret", secretHead+`,"data":{"a":"`, `YWFh`, "", `?"}}`),
	// Types that nest.
	padded("a deep schema", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":`, `{"not":`, `}`, `{"title":"REST"}`, `}}]}}`),
	padded("a failing deep schema", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":`, `{"not":`, `}`, `{"title":"REST","type":5}`, `}}]}}`),
	padded("a failing deep schema of maps", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":`, `{"properties":{"a":`, `}}`, `{"title":"REST","type":5}`, `}}]}}`),
	padded("a failing deep schema of lists", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":`, `{"allOf":[{},`, `]}`, `{"title":"REST","type":5}`, `}}]}}`),
	parts("many properties", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{`, `"p%d":{}`, ",", `}}}}]}}`),
	parts("failing last property", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{`, `"p%d":{}`, ",", `,"last":{"type":5}}}}}]}}`),
	parts("many enum values", "crd", crdHead+`,"spec":{"versions":[{"schema":{"openAPIV3Schema":{"enum":[`, `{"a":%d}`, ",", `]}}}]}}`),
	// Objects without a Go type.
	parts("many numbers", "custom", customHead+`,"spec":[`, `1`, ",", `]}`),
	parts("many fractions", "custom", customHead+`,"spec":[`, `1.7976931348623157e308`, ",", `]}`),
	parts("many empty objects", "custom", customHead+`,"spec":[`, `{}`, ",", `]}`),
	parts("many members", "custom", customHead+`,"spec":{`, `"m%d":null`, ",", `}}`),
	parts("many strings", "custom", customHead+`,"spec":[`, `"s%d"`, ",", `]}`),
	parts("long fractions", "custom", customHead+`,"spec":[`, `0.`+strings.Repeat("123456789", 100), ",", `]}`),
	parts("one long number", "custom", customHead+`,"spec":0.`, `1234567890`, "", `}`),
	padded("deep lists", "custom", customHead+`,"spec":`, `[`, `]`, `"REST"`, `}`),
	padded("deep objects", "custom", customHead+`,"spec":`, `{"a":`, `}`, `"REST"`, `}`),
	// Members with the name of a part that is shared, in each other.
	towers("fieldsV1 in each other", `{"fieldsV1":`, `}`, 480),
	towers("short fieldsV1 in each other", `{"fieldsV1":`, `}`, 250),
	towers("metadata in each other", `{"metadata":{"managedFields":[{"fieldsV1":`, `}]}}`, 100),
	padded("a long text in fieldsV1 in each other", "custom", customHead[:len(customHead)-1]+`,"managedFields":[{"fieldsV1":`, `{"fieldsV1":`, `}`, `"REST"`, `}]}}`),
	parts("a number that overflows, late", "custom", customHead+`,"spec":[`, `1`, ",", `,1e999]}`),
}
