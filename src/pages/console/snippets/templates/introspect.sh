# With API_SECRET in the environment, and the access token that somebody brought in TOKEN.
curl --silent --show-error --fail '{{issuer}}/oauth/introspect' \
  --user "{{apiId}}:$API_SECRET" \
  --data-urlencode "token=$TOKEN"
# {"active":false}: refuse it. Else the answer says, as the token does, who (sub), for which application (client_id) and
# for what (scope); its aud is '{{audience}}'.
