package selection

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// token is the content of a continue token, in the encoding of a kube-apiserver.
type token struct {
	Format string `json:"v"`
	// Version is the version of the list, or -1 for the newest one.
	Version int64 `json:"rv"`
	// Start is the path of the first object that is left, after the prefix of the list.
	Start string `json:"start"`
}

// tokenFormat is the only format of tokens.
const tokenFormat = "meta.k8s.io/v1"

// encode returns the token as clients see it.
func (t token) encode() string {
	t.Format = tokenFormat
	encoded, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and a number
	}
	return base64.RawURLEncoding.EncodeToString(encoded)
}

// errToken begins the errors for tokens that this server did not make.
var errToken = errors.New("continue key is not valid")

// decodeToken reads a token. Its Start has no leading slash.
func decodeToken(text string) (token, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return token{}, fmt.Errorf("%w: %v", errToken, err)
	}
	var t token
	if err := json.Unmarshal(decoded, &t); err != nil {
		return token{}, fmt.Errorf("%w: %v", errToken, err)
	}
	switch {
	case t.Format != tokenFormat:
		return token{}, fmt.Errorf("%w: server does not recognize this encoded version %v", errToken, t.Format)
	case t.Version == 0:
		return token{}, fmt.Errorf("%w: incorrect encoded start resourceVersion (version %s)", errToken, tokenFormat)
	case t.Start == "":
		return token{}, fmt.Errorf("%w: encoded start key empty (version %s)", errToken, tokenFormat)
	}
	start := t.Start
	if !strings.HasPrefix(start, "/") {
		start = "/" + start
	}
	if path.Clean(start) != start {
		return token{}, fmt.Errorf("%w: %v", errToken, t.Start)
	}
	t.Start = start[1:]
	return t, nil
}
