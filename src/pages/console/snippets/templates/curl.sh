# For bash, with curl and openssl{{secretNote}}
issuer='{{issuer}}'
callback='{{callback}}'
application=(--data-urlencode 'client_id={{clientId}}'{{secretField}})

# 1. A random state, and a PKCE verifier with its challenge.
state=$(openssl rand -hex 16)
verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')

# 2. Send a browser here, and come back with the address that it ends at.
echo "Open $issuer/oauth/authorize?client_id={{clientId}}&redirect_uri={{callbackEncoded}}&response_type=code&scope={{scopePlus}}&state=$state&code_challenge=$challenge&code_challenge_method=S256"
read -r -p 'Address that the browser came back to: ' answer

# 3. The state must be the one that was sent; then the code, within 60 seconds.
parameter() { printf %s "$answer" | sed -n "s/.*[?&]$1=\([^&]*\).*/\1/p"; }
if [ "$(parameter state)" != "$state" ]; then
  echo 'The state is not ours: refused.' >&2
  exit 1
fi
tokens=$(curl -sS --fail-with-body "$issuer/oauth/token" "${application[@]}" \
  -d grant_type=authorization_code -d "code=$(parameter code)" \
  --data-urlencode "redirect_uri=$callback" -d "code_verifier=$verifier")
echo "$tokens"
member() { printf %s "$tokens" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# 4. Who is it?
curl -sS --fail-with-body "$issuer/oauth/userinfo" -H "Authorization: Bearer $(member access_token)"
echo

# 5. Renew; the old refresh token is used up.
tokens=$(curl -sS --fail-with-body "$issuer/oauth/token" "${application[@]}" \
  -d grant_type=refresh_token -d "refresh_token=$(member refresh_token)")
echo "$tokens"

# 6. At sign-out, end everything.
curl -sS --fail-with-body "$issuer/oauth/token/revoke" "${application[@]}" -d "token=$(member refresh_token)"
