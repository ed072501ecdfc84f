// Reads CLIENT_SECRET from the environment.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const callback = '{{callback}}'

var config = &oauth2.Config{
	ClientID:     '{{clientId}}',
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	RedirectURL:  callback,
	Scopes:       strings.Fields('{{scope}}'),
}

// signIn redirects the browser to sign in. A cookie stores state, nonce and PKCE verifier until the response.
func signIn(w http.ResponseWriter, r *http.Request) {
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	http.SetCookie(w, &http.Cookie{
		Name: "sign_in", Value: state + "." + nonce + "." + verifier, Path: "/", MaxAge: 600,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(callback, "https:"),
	})
	authURL := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	http.Redirect(w, r, authURL, http.StatusSeeOther)
}

// finishSignIn checks the response, exchanges the code and reads the profile.
func finishSignIn(r *http.Request, provider *oidc.Provider) (map[string]any, error) {
	cookie, err := r.Cookie("sign_in")
	if err != nil {
		return nil, err
	}
	sent := strings.Split(cookie.Value, ".")
	query := r.URL.Query()
	if len(sent) != 3 || query.Get("state") != sent[0] || query.Get("iss") != '{{issuer}}' {
		return nil, errors.New("state or issuer mismatch")
	}
	if code := query.Get("error"); code != "" {
		return nil, errors.New(code + ": " + query.Get("error_description"))
	}
	tokens, err := config.Exchange(r.Context(), query.Get("code"), oauth2.VerifierOption(sent[2]))
	if err != nil {
		return nil, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(r.Context(), raw)
	if err != nil {
		return nil, err
	}
	info, err := provider.UserInfo(r.Context(), oauth2.StaticTokenSource(tokens))
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != sent[1] || info.Subject != idToken.Subject {
		return nil, errors.New("id_token mismatch")
	}
	profile := map[string]any{}
	return profile, info.Claims(&profile)
}

func main() {
	provider, err := oidc.NewProvider(context.Background(), '{{issuer}}')
	if err != nil {
		log.Fatal(err)
	}
	config.Endpoint = provider.Endpoint()
	http.HandleFunc("GET /login", signIn)
	http.HandleFunc("GET "+'{{callbackPath}}', func(w http.ResponseWriter, r *http.Request) {
		profile, err := finishSignIn(r, provider)
		if err != nil {
			log.Print(err)
			http.Error(w, "Sign-in failed. Try again.", http.StatusBadRequest)
			return
		}
		// Start your own session here: find or create your user by profile["sub"].
		http.SetCookie(w, &http.Cookie{Name: "sign_in", Path: "/", MaxAge: -1})
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(profile)
	})
	log.Fatal(http.ListenAndServe("localhost:{{port}}", nil))
}
