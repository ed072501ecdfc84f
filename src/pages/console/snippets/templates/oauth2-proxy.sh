# CLIENT_SECRET and COOKIE_SECRET come from the environment. Generate COOKIE_SECRET once:
#   openssl rand -base64 32 | tr -- '+/' '-_'
# oauth2-proxy sends state automatically. Users with an unverified email address get a 500.
# Before you add --cookie-refresh, set a grace period of 10 to 30 seconds for this application. Otherwise, concurrent
# refreshes with the same refresh token sign the user out.
export OAUTH2_PROXY_CLIENT_SECRET="$CLIENT_SECRET"
export OAUTH2_PROXY_COOKIE_SECRET="$COOKIE_SECRET"
oauth2-proxy \
  --provider=oidc \
  --provider-display-name='{{serviceName}}' \
  --oidc-issuer-url='{{issuer}}' \
  --client-id='{{clientId}}' \
  --redirect-url='{{callback}}' \
  --proxy-prefix='{{proxyPrefix}}' \
  --scope='{{scope}}' \
  --code-challenge-method=S256 \
  --email-domain='*' \
  --http-address='{{proxyAddress}}' \
  --upstream=http://127.0.0.1:{{upstreamPort}}/
