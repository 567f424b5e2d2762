package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Handler passes on the requests of programs on this machine, and refuses all others with a Status. It is for API servers that
// authenticate no one. A listener on a loopback address does not keep out the pages that a browser on this machine shows: the owner
// of a name can let it resolve to 127.0.0.1 (DNS rebinding), which the Host header shows; and a page may send some requests, and
// open a web socket, to any address, which the Origin header shows.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Is(Hostname(r.Host)) {
			refuse(w, http.StatusMisdirectedRequest, fmt.Sprintf(
				"the Host header is %.200q, but this API server answers only to localhost and loopback addresses, because it authenticates no one;"+
					" use http://127.0.0.1:PORT", r.Host))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if from, err := url.Parse(origin); err != nil || !Is(from.Hostname()) {
				refuse(w, http.StatusForbidden, fmt.Sprintf(
					"the request comes from a web page of the origin %.200q, but this API server answers only to pages of localhost and loopback addresses,"+
						" because it authenticates no one", origin))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers with a Status, whose message clients show.
func refuse(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	// It fails if the client has gone, and then no one needs it.
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: message, Code: int32(code),
	})
}
