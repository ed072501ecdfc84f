// go get github.com/coreos/go-oidc/v3, then start this file: it answers whoever brings an access token for this API.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

const issuer = '{{issuer}}'

var verifier = oidc.NewVerifier(issuer,
	oidc.NewRemoteKeySet(context.Background(), issuer+"/.well-known/jwks.json"),
	&oidc.Config{ClientID: '{{audience}}', SupportedSigningAlgs: []string{oidc.ES256}})

type claims struct {
	Subject     string `json:"sub"`
	Application string `json:"client_id"`
	Scope       string `json:"scope"`
}

// claimsOf says what an access token for this API says, and refuses every other token.
func claimsOf(r *http.Request) (said claims, err error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return said, errors.New("no access token")
	}
	verified, err := verifier.Verify(r.Context(), token)
	if err != nil {
		return said, err
	}
	// An id_token is no access token (RFC 9068 §4).
	var header struct{ Typ string }
	first, _, _ := strings.Cut(token, ".")
	if text, err := base64.RawURLEncoding.DecodeString(first); err != nil || json.Unmarshal(text, &header) != nil || header.Typ != "at+jwt" {
		return said, errors.New("not an access token")
	}
	if err := verified.Claims(&said); err != nil || said.Application == "" {
		return said, errors.New("client_id is missing")
	}
	return said, nil
}

func main() {
	http.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		said, err := claimsOf(r)
		if err != nil {
			log.Print(err)
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// Here you answer what this person, this application and these scopes may have.
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"sub": said.Subject, "client_id": said.Application, "scopes": strings.Fields(said.Scope),
		})
	})
	log.Fatal(http.ListenAndServe("localhost:{{apiPort}}", nil))
}
