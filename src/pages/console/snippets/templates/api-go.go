// Serves only requests with an access token for this API.
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
	Subject  string `json:"sub"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
}

// claimsOf returns the claims of an access token for this API, or an error for any other token.
func claimsOf(ctx context.Context, token string) (result claims, err error) {
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		return result, err
	}
	// Rejects id_tokens (RFC 9068 §4).
	var header struct{ Typ string }
	first, _, _ := strings.Cut(token, ".")
	if text, err := base64.RawURLEncoding.DecodeString(first); err != nil || json.Unmarshal(text, &header) != nil || header.Typ != "at+jwt" {
		return result, errors.New("not an access token")
	}
	if err := verified.Claims(&result); err != nil || result.ClientID == "" {
		return result, errors.New("client_id is missing")
	}
	return result, nil
}

func send(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func reject(w http.ResponseWriter, status int, code string) {
	header := "Bearer "
	if code != "" {
		header += `error="` + code + `", `
	}
	w.Header().Set("WWW-Authenticate", header+challenge)
	send(w, status, map[string]any{"error": code})
}

func handle(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		reject(w, http.StatusUnauthorized, "")
		return
	}
	granted, err := claimsOf(r.Context(), token)
	if err != nil {
		log.Print(err)
		reject(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	scopes := strings.Fields(granted.Scope)
	if !slices.Contains(scopes, '{{scope}}') {
		reject(w, http.StatusForbidden, "insufficient_scope")
		return
	}
	// Respond with the data that this user (sub), client (client_id) and scope may access.
	send(w, http.StatusOK, map[string]any{"sub": granted.Subject, "client_id": granted.ClientID, "scopes": scopes})
}

// metadata serves the protected resource metadata, which names the issuer of tokens (RFC 9728).
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
	http.HandleFunc("/", handle)
	log.Fatal(http.ListenAndServe("localhost:{{apiPort}}", nil))
}
