# For bash, with curl and openssl{{secretNote}}
issuer='{{issuer}}'
callback='{{callback}}'
client=(--data-urlencode 'client_id={{clientId}}'{{secretField}})

# 1. A random state, and a PKCE verifier with its challenge.
state=$(openssl rand -hex 16)
verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')

# 2. Open this URL in a browser, and paste the URL that the browser is redirected to.
echo "Open $issuer/oauth/authorize?client_id={{clientId}}&redirect_uri={{callbackEncoded}}&response_type=code&scope={{scopePlus}}&state=$state&code_challenge=$challenge&code_challenge_method=S256"
read -r -p 'Redirected URL: ' redirected

# 3. Check the state, then exchange the code within 60 seconds.
parameter() { printf %s "$redirected" | sed -n "s/.*[?&]$1=\([^&]*\).*/\1/p"; }
if [ "$(parameter state)" != "$state" ]; then
  echo 'The state does not match.' >&2
  exit 1
fi
tokens=$(curl -sS --fail-with-body "$issuer/oauth/token" "${client[@]}" \
  -d grant_type=authorization_code -d "code=$(parameter code)" \
  --data-urlencode "redirect_uri=$callback" -d "code_verifier=$verifier")
echo "$tokens"
field() { printf %s "$tokens" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# 4. Read the user's profile.
curl -sS --fail-with-body "$issuer/oauth/userinfo" -H "Authorization: Bearer $(field access_token)"
echo

# 5. Refresh. The old refresh token can't be used again.
tokens=$(curl -sS --fail-with-body "$issuer/oauth/token" "${client[@]}" \
  -d grant_type=refresh_token -d "refresh_token=$(field refresh_token)")
echo "$tokens"

# 6. At sign-out, revoke the tokens.
curl -sS --fail-with-body "$issuer/oauth/token/revoke" "${client[@]}" -d "token=$(field refresh_token)"
