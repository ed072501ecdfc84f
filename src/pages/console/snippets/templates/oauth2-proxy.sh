# CLIENT_SECRET and COOKIE_SECRET come from the environment; make the latter once:
#   openssl rand -base64 32 | tr -- '+/' '-_'
# oauth2-proxy sends a state by itself, and lets in only people whose email address is verified: the others get a 500.
# Requests that come together renew together, and a refresh token works once: before you add --cookie-refresh, give this
# application a grace period of 10 to 30 seconds for renewals, or the second renewal ends the sign-in.
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
