// Package apitest is an in-memory Kubernetes API server for tests, behind [http.RoundTripper].
package apitest

import _ "gopkg.in/evanphx/json-patch.v4"
