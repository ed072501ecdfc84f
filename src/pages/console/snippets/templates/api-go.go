// go get github.com/coreos/go-oidc/v3, then start this file: it answers whoever brings an access token for this API.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	issuer    = '{{issuer}}'
	api       = '{{audience}}'
	challenge = '{{challenge}}'
)

var verifier = oidc.NewVerifier(issuer,
	oidc.NewRemoteKeySet(context.Background(), issuer+"/.well-known/jwks.json"),
	&oidc.Config{ClientID: api, SupportedSigningAlgs: []string{oidc.ES256}})

type claims struct {
	Subject     string `json:"sub"`
	Application string `json:"client_id"`
	Scope       string `json:"scope"`
}

// claimsOf says what an access token for this API says, and refuses every other token.
func claimsOf(ctx context.Context, token string) (said claims, err error) {
	verified, err := verifier.Verify(ctx, token)
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

func send(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code string) {
	said := "Bearer "
	if code != "" {
		said += `error="` + code + `", `
	}
	w.Header().Set("WWW-Authenticate", said+challenge)
	send(w, status, map[string]any{"error": code})
}

func answer(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		refuse(w, http.StatusUnauthorized, "")
		return
	}
	said, err := claimsOf(r.Context(), token)
	if err != nil {
		log.Print(err)
		refuse(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	scopes := strings.Fields(said.Scope)
	if !slices.Contains(scopes, '{{scope}}') {
		refuse(w, http.StatusForbidden, "insufficient_scope")
		return
	}
	// Here you answer what this person, this application and these scopes may have.
	send(w, http.StatusOK, map[string]any{"sub": said.Subject, "client_id": said.Application, "scopes": scopes})
}

// metadata is where programs learn who gives tokens for this API (RFC 9728).
func metadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	send(w, http.StatusOK, map[string]any{
		"resource":              api,
		"authorization_servers": []string{issuer},
		"scopes_supported":      strings.Fields('{{scopes}}'),
	})
}

func main() {
	http.HandleFunc('{{metadataPath}}', metadata)
	http.HandleFunc("/", answer)
	log.Fatal(http.ListenAndServe("localhost:{{apiPort}}", nil))
}
