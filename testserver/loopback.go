package testserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/loopback"
)

// onlyLocal answers requests of programs on this machine only. The server authenticates nobody, and a listener on
// a loopback address does not keep out the pages that a browser on this machine shows: the owner of a name can let
// it resolve to 127.0.0.1 (DNS rebinding), which the Host header shows; and a page may send some requests, and open
// a web socket, to any address, which the Origin header shows.
func onlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback.Is(loopback.Hostname(r.Host)) {
			refuse(w, http.StatusMisdirectedRequest, fmt.Sprintf(
				"the Host header is %.200q, but this API server answers only to localhost and loopback addresses, because it authenticates nobody;"+
					" use http://127.0.0.1:PORT, as in the kubeconfig", r.Host))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if from, err := url.Parse(origin); err != nil || !loopback.Is(from.Hostname()) {
				refuse(w, http.StatusForbidden, fmt.Sprintf(
					"the request comes from a web page of the origin %.200q, but this API server answers only to pages of localhost and loopback addresses,"+
						" because it authenticates nobody", origin))
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
	// It fails if the client has gone, which nobody needs to hear of.
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: message, Code: int32(code),
	})
}
