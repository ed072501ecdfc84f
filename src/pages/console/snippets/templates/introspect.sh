# Set API_SECRET, and set TOKEN to the request's access token.
curl --silent --show-error --fail '{{issuer}}/oauth/introspect' \
  --user "{{apiId}}:$API_SECRET" \
  --data-urlencode "token=$TOKEN"
# Reject the request if the response is {"active":false}. Otherwise, it contains the user (sub), the client (client_id)
# and the token's scope. The token's aud is '{{audience}}'.
