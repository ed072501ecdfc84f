// English: diagnostics. The page fills in the placeholders in braces.
import type { diagnostics as reference } from '../fr/diagnostics.ts';

const NEW_SIGN_IN = 'The person has to sign in again from your application.';
const NOTHING = 'Your application is not at fault. The person can start again.';
const SECRETS = 'Check the environment variable that contains the secret, or create a new secret.';

export const diagnostics: typeof reference = {
  title: (application) => `Diagnostics for ${application}`,
  lead: 'Refused requests from this application, with the reasons and how to fix them. Secrets, codes and tokens are not stored here.',
  adminNotice: 'This application belongs to someone else. You see this page as an administrator.',
  search: 'Search by incident code',
  searchHint: 'The ten-character code from the error page.',
  searchAction: 'Search',
  found: (incident) => `Incident ${incident}`,
  notFound: (incident) =>
    `No stored request for this application has the code ${incident}. Check the code. Newer requests may have replaced it.`,
  showAll: 'See all refused requests',
  refused: 'Refused requests',
  refusedHint: (quota) => `The latest ${quota} are kept. Identical requests are grouped.`,
  none: 'No refused requests.',
  noneAdvice: 'If a sign-in fails, the exact reason will appear here within seconds.',
  time: 'Time',
  times: (count) => `${count} times`,
  since: 'First seen',
  endpoint: 'Endpoint',
  error: 'Error',
  address: 'IP address',
  forgotten: 'deleted',
  incident: 'Incident code',
  incidents: 'Incident codes',
  others: (count) => `and ${count} more`,
  sent: 'Sent',
  registered: 'Registered',
  authorized: 'In the authorization request',
  fromApplication: 'from the application',
  served: 'none',
  fromHolder: 'with a code, token or expired secret',
  fromAnyone: 'unauthenticated',
  information: 'for information',
  endpoints: {
    authorize: 'Authorization',
    par: 'Pushed request (PAR)',
    device: 'Device authorization',
    token: 'Tokens',
    introspect: 'Introspection',
    revoke: 'Revocation',
    userinfo: 'Profile (userinfo)',
    logout: 'Sign-out',
  },

  checklist: 'Integration checklist',
  checklistHint: 'Based on requests that this service has received. “Not seen yet” is not an error.',
  check: 'Check',
  state: 'Observed',
  seen: 'seen',
  notSeen: 'not seen yet',
  alsoWithout: 'sometimes missing',
  never: 'missing',
  lastSeen: 'Last seen',
  lastWithout: 'Last missing',
  checks: {
    pkce: 'PKCE used',
    state: 'state sent',
    nonce: 'nonce sent',
    renewal: 'Token refresh',
    revocation: 'Revocation at sign-out',
    userinfo: 'Profile request (userinfo)',
  },

  differences: {
    scheme: 'The URL sent starts with {sent}, the registered one with {registered}.',
    host: 'The host sent is {sent}, the registered one is {registered}.',
    port: 'The port sent ({sent}) is not the registered one ({registered}).',
    path: 'The path sent is {sent}, the registered one is {registered}. Case and encoding must match.',
    trailing_slash: 'The path sent is {sent}, the registered one is {registered}. Check the trailing slash.',
    query: 'The query or fragment sent is {sent}, the registered one is {registered}. The order must match.',
  },
  nothing: 'none',

  unknownCause: 'The request was refused.',
  causes: {
    redirect_uri_unregistered: 'The callback URL sent is not registered.',
    client_unknown: 'The application was not registered at that time.',
    client_metadata_invalid: 'The agent’s document could not be used.',
    application_suspended: 'The application was suspended.',
    parameter_repeated: 'The parameter {parameter} was sent several times: send it once.',
    parameter_malformed: 'The parameter {parameter} is not properly encoded UTF-8 text.',
    parameter_missing: 'The parameter {parameter} is missing or empty.',
    parameter_too_long: 'The parameter {parameter} is too long.',
    request_object_unsupported:
      'The request uses `request` or `request_uri`, which this endpoint does not support.',
    pushed_request_unknown: 'This `request_uri` was not issued to this application by `/oauth/par`.',
    response_type: '`response_type` is “{sent}”: send `code`.',
    response_mode: '`response_mode` is “{sent}”, which is not supported.',
    scope_unknown: 'None of the requested scopes (“{sent}”) exists.',
    scopes_ignored: 'Unknown scopes were ignored: “{words}”.',
    scope_not_registered: 'The scope “{scope}” is not enabled for this application.',
    state_missing: '`state` was missing.',
    challenge_missing: 'PKCE was missing: this application must send `code_challenge`.',
    challenge_method: '`code_challenge_method` is “{sent}”; only `S256` is accepted.',
    challenge_malformed: '`code_challenge` is malformed: {length} characters received, 43 expected.',
    prompt_conflict: '`prompt=none` was combined with another value: it must be used alone.',
    max_age: '`max_age` must be a whole number of seconds.',
    claims_invalid: '`claims` is not a valid OpenID Connect claims request.',
    acr_unmet: 'The essential `acr` “{sent}” cannot be satisfied.',
    id_token_hint: '`id_token_hint` does not contain an `id_token` issued to this application.',
    not_signed_in:
      '`prompt=none`: the person was not signed in here, or did not sign in as your request requires (a second factor may be needed).',
    signed_in_as_other_user: 'The person signed in to a different account from the one in `id_token_hint`.',
    consent_needed: '`prompt=none`: the person has not given consent yet.',
    user_denied: 'The person refused to share their information.',
    request_expired: 'The person took more than an hour to respond.',
    browser_mismatch: 'The page was opened in a different browser from the one that started the request.',
    request_unreadable: 'The request could not be read: it is malformed or has more than 200 parameters.',
    pushed_request_expired: 'The pushed request had expired when the person reached this service.',
    pushed_request_required: 'This application must push its requests, but sent this one in the URL.',
    grant_type_unsupported: '`grant_type` is “{sent}”, which is not supported.',
    client_credentials_disabled:
      'The application may not request tokens for this API on its own behalf (`client_credentials`).',
    scope_beyond_api_grant: 'The application requested the scope “{sent}” on its own behalf.',
    device_flow_disabled: 'Device sign-in is not enabled for this application.',
    device_authorization_pending: 'The person had not allowed the device yet.',
    device_polls_too_fast: 'The device polled too often.',
    device_code_unknown: 'The `device_code` is unknown, or has already been used.',
    device_code_expired: 'The `device_code` expired before the person allowed the device.',
    multiple_credentials: 'The secret was sent twice: in the form and in the HTTP Basic header.',
    client_id_mismatch: 'The `client_id` in the form must be the one in the HTTP Basic header.',
    basic_header_invalid: 'The HTTP Basic header is malformed.',
    assertion_type_unsupported: '`client_assertion_type` was missing or was not the type for JWTs.',
    assertion_invalid: 'The signed assertion (`private_key_jwt`) was not accepted.',
    assertion_audience_mismatch:
      'The audience of the signed assertion (`private_key_jwt`) is not this service, or not only this service.',
    assertion_expired: 'The signed assertion (`private_key_jwt`) has expired.',
    assertion_not_yet_valid: 'The signed assertion (`private_key_jwt`) is not valid yet.',
    assertion_replayed: 'The signed assertion (`private_key_jwt`) had already been used.',
    secret_missing: 'The secret was missing.',
    secret_not_expected: '`client_secret` was sent, but a public application has no secret.',
    secret_expired: 'Secret no. {number}, created on {created}, expired on {expired}.',
    secret_belongs_to_other_client: 'This secret belongs to another application or API of yours, {holder}.',
    secret_has_whitespace: 'The secret sent contains a space or a line break.',
    secret_percent_encoded: 'The secret sent contains “%”: it was probably encoded twice.',
    secret_is_client_id: 'The Client ID was sent as `client_secret`.',
    secret_truncated: 'The secret sent is truncated: it has only {length} characters.',
    secret_checksum_invalid: 'The secret sent contains a typo: its checksum is wrong.',
    secret_prefix_invalid: 'The value sent is not a secret of this service.',
    secret_belongs_to_api: 'The secret sent belongs to an API and is valid only for introspection.',
    secret_belongs_to_client: 'The secret sent belongs to an application.',
    api_endpoint_not_allowed: 'The API’s `api_id` was sent as a Client ID.',
    api_suspended: 'Your API sent an introspection request while suspended.',
    secret_unknown: 'The secret is well-formed, but is not valid (or no longer valid) for this identifier.',
    confidential_client_required: 'Only an application with a secret or a key can introspect its tokens.',
    verifier_malformed: '`code_verifier` is malformed.',
    verifier_missing: '`code_verifier` was missing, though the authorization request had a `code_challenge`.',
    verifier_not_expected: '`code_verifier` was sent, but the authorization request had no `code_challenge`.',
    verifier_is_challenge: '`code_verifier` contains the `code_challenge` itself.',
    verifier_mismatch: 'The verifier does not match the challenge of the authorization request.',
    redirect_uri_mismatch: 'In the token request, `redirect_uri` must match the authorization request.',
    token_malformed: 'The {what} was not issued by this service.',
    token_altered: 'The {what} is truncated or altered.',
    token_kind_mismatch: 'A {sent} was sent instead of the {expected}.',
    token_not_found: 'The {what} is too old or was revoked, and its record has been deleted.',
    resource_ambiguous: 'An access token is valid for one API, but `resource` did not name exactly one.',
    code_expired: 'The code had expired: it is valid for only about a minute.',
    code_used: 'The code had already been used.',
    refresh_token_expired: 'The `refresh_token` had expired: it had not been used for too long.',
    refresh_token_used: 'The `refresh_token` had already been used.',
    mfa_required: 'A second factor is now required, but this grant was given without one.',
    access_ended: 'The grant is no longer active.',
    scope_beyond_grant: 'The scope “{scope}” was not granted by the person.',
    device_resource_unsupported: 'A device request contained `resource`.',
    resource_limit_exceeded:
      'The request names more than five resources. Name only the APIs that this sign-in needs.',
    resource_unknown: 'No API with the identifier {sent} is registered here.',
    resource_not_open_to_client: 'The API {sent} is not available to this application.',
    resource_blocks_client: 'The owner of the API {sent} has cut this application off.',
    resource_suspended: 'The API {sent} is suspended.',
    scope_not_of_api:
      'No value in `scope` (“{sent}”) is available to this application for the API {resource}.',
    resource_beyond_grant: 'The person has not granted access to the resource {sent}.',
    token_belongs_to_other_client: 'This {what} was issued to another application.',
    multiple_access_tokens: 'The `access_token` was sent twice: in the header and in the form.',
    access_token_expired: 'The `access_token` had expired.',
    access_token_missing: 'The `access_token` was missing.',
    access_token_in_form: 'The `access_token` was sent in the form, which requires standard mode.',
    userinfo_scope_missing: 'The `access_token` does not have the scope {scope}, which userinfo requires.',
    logout_hint: 'Sign-out: `id_token_hint` is not an `id_token` of this service.',
    logout_redirect_uri_unregistered: 'Sign-out: the URL {sent} is not registered.',
    method: 'This endpoint was called with {sent}.',
    content_type: 'The body was not a form (`Content-Type`: “{sent}”).',
    rate_limited: 'Too many requests came from this IP address within a minute.',
    https_required: 'The request used `http://`: use `https://`.',
    request_incomplete: 'The request was incomplete: the connection was closed.',
    body_too_large: 'The request body is too large: send only the required parameters.',
    service_failed: 'An error occurred in this service. Your application is not at fault.',
    service_busy: 'The service was overloaded.',
    not_found: 'This URL does not exist on this service.',
    page_form_invalid: 'The person’s browser submitted an expired or invalid form to a page of this service.',
    sign_up_disabled: 'Sign-up is closed on this service.',
  },
  remedies: {
    redirect_uri_unregistered:
      'Send a callback URL exactly as registered. Register this one only if it is yours: anyone could have sent this request. In a program on the user’s device, use 127.0.0.1 instead of localhost, so that any port matches.',
    client_unknown: 'Check the Client ID: copy it from the application’s page. If it is correct, try again.',
    client_metadata_invalid: 'See the reason in the response.',
    application_suspended: 'Contact your administrator.',
    parameter_malformed: 'Build the URL or form with a library function, such as URLSearchParams.',
    parameter_too_long: 'Store the data in your application and send only a short random value.',
    request_object_unsupported: 'Send the parameters themselves, or push them to `/oauth/par` first.',
    pushed_request_unknown:
      'The `request_uri` was altered or truncated, or belongs to another application. Send it exactly as you received it, with the `client_id` that pushed the request.',
    response_mode: 'Remove `response_mode`, or use a value from the discovery document.',
    scope_unknown: 'Request one or more of `openid`, `profile`, `email` and `phone`, separated by spaces.',
    scopes_ignored:
      'The request was not refused. If your library expects every requested scope in the response, remove the unknown ones.',
    scope_not_registered: 'Enable the scope in the application’s settings, or stop requesting it.',
    state_missing:
      'Send a random value in `state` and verify it in the callback. If your OpenID Connect library does not use `state`, switch the application to standard mode.',
    challenge_missing:
      'Send `code_challenge` and `code_challenge_method=S256`, then `code_verifier` in the token request.',
    challenge_method: 'Send the SHA-256 of the verifier and `code_challenge_method=S256`, with a capital S.',
    challenge_malformed: 'Encode the SHA-256 of the verifier in base64url, without “=” at the end.',
    claims_invalid:
      'Send an object with `id_token` containing `acr`, with `essential` set to `true` and the accepted values in `values`.',
    acr_unmet: 'Accept another value, or request it in `acr_values`, where it is voluntary.',
    id_token_hint: 'Send the latest `id_token` issued to this application, or remove the parameter.',
    not_signed_in: 'This is a normal response. Offer the sign-in button, or try again without `prompt=none`.',
    signed_in_as_other_user: 'This is a normal response. To accept any account, remove `id_token_hint`.',
    consent_needed: 'This is a normal response. Try again without `prompt=none`.',
    user_denied:
      'This is a normal response. Explain what your application can do without access, and let the person try again.',
    request_expired: 'Nothing to fix: the person could start again.',
    browser_mismatch:
      'Nothing to fix if this is rare: the person can start again from your application. Common causes are a copied link and an embedded browser.',
    request_unreadable: 'Build the URL with a library function, such as URL and URLSearchParams.',
    pushed_request_expired: 'Push the request just before you redirect the person, not when your page loads.',
    pushed_request_required:
      'Push the request to `/oauth/par` and send only the `request_uri` from the response.',
    grant_type_unsupported:
      'Send a value from the discovery document, usually `authorization_code` or `refresh_token`.',
    client_credentials_disabled:
      'The API’s owner has not granted access, or the application is public. Request access on the application’s “APIs” page. Public applications cannot use client_credentials.',
    scope_beyond_api_grant:
      'The API’s owner has not granted this scope. Request it on the application’s “APIs” page, or remove it from the request.',
    device_flow_disabled: 'Enable device sign-in on the “Protocol” page.',
    device_authorization_pending:
      'This is a normal response. Keep polling, but not more often than `interval` allows.',
    device_polls_too_fast: 'After each `slow_down`, increase the polling interval by five seconds.',
    device_code_unknown:
      'Send the `device_code` from the latest response, and only once after the person has allowed the device.',
    device_code_expired: 'Request a new `device_code` and show the person the new user code.',
    multiple_credentials: 'Configure your library to use only one of the two methods.',
    basic_header_invalid: 'Send the Client ID and secret, separated by a colon and encoded in base64.',
    assertion_type_unsupported:
      'Send `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    assertion_invalid:
      'Check that the key is registered, that aud names this service, that exp is at most an hour away, that each jti is used once, and that typ is `client-authentication+jwt`, `JWT` or absent.',
    assertion_audience_mismatch: 'Set aud to a single value: the issuer from the discovery document.',
    assertion_expired:
      'The assertion expired {seconds} seconds ago by our clock, and was signed {age} seconds ago. Sign a new one for each request. If it was new, your server’s clock is about {age} seconds slow: synchronize it with NTP. A difference of up to 30 seconds is allowed.',
    assertion_not_yet_valid:
      'The assertion is dated {seconds} seconds ahead of our clock. Your server’s clock is about {seconds} seconds fast: synchronize it with NTP. A difference of up to 30 seconds is allowed.',
    assertion_replayed:
      'Sign a new assertion for each request, with a unique `jti`. If you already do, someone else has sent a copy.',
    secret_missing: 'Send `client_secret`. If it comes from an environment variable, check that it is set.',
    secret_expired: 'An old secret is still in use: replace it with the latest one.',
    secret_belongs_to_other_client:
      'Each identifier has its own secret. Check that you have not mixed up two configurations.',
    secret_has_whitespace: 'Remove the line break, which is probably at the end of the file or variable.',
    secret_percent_encoded: 'Pass the secret to your library without encoding it.',
    secret_truncated: 'Copy the whole secret. If you no longer have it, create a new one.',
    secret_checksum_invalid:
      'Copy it again instead of typing it. If you no longer have it, create a new one.',
    secret_prefix_invalid:
      'Our secrets start with `sesame_secret_`, or with `sesame_api_secret_` for an API. Check the environment variable that contains it, or create a new secret.',
    secret_belongs_to_api:
      'Application secrets start with `sesame_secret_`. Configure the application’s Client ID and secret.',
    secret_belongs_to_client:
      'API secrets start with `sesame_api_secret_`. To introspect tokens, create a secret on the API’s secrets page.',
    api_endpoint_not_allowed:
      'An API can only introspect tokens, at the introspection endpoint. To get tokens, register an application.',
    api_suspended:
      'All tokens for a suspended API are inactive. To have the suspension lifted, contact your administrator.',
    secret_unknown: SECRETS,
    verifier_malformed:
      'Use 43 to 128 random characters from A-Z a-z 0-9 - . _ ~ ({length} received), and send them unchanged.',
    verifier_missing: 'Store the verifier in the person’s session and send it in the token request.',
    verifier_not_expected:
      'Send `code_challenge` and `code_challenge_method=S256` with the authorization request.',
    verifier_is_challenge: 'In the token request, send the original value, not its hash.',
    verifier_mismatch:
      'The verifier is probably from another tab or an earlier attempt. Store one verifier per request, keyed by `state`.',
    token_malformed:
      'Send the `code` from the callback URL, decoded once, or the `refresh_token` from the latest response.',
    token_altered:
      'Send the whole value, exactly as you received it. The column that stores it must allow at least 200 characters.',
    token_kind_mismatch:
      'To exchange a code, send `grant_type=authorization_code`; to refresh, `grant_type=refresh_token`. Everywhere else, send the `access_token`.',
    token_not_found: NEW_SIGN_IN,
    resource_ambiguous: 'Send one `resource` per token request, and request a token for each API.',
    code_expired: 'Exchange the code as soon as the person arrives at your callback URL.',
    code_used:
      'As a precaution, all tokens issued for it were revoked. Exchange each code only once: reloading the callback page must not repeat the exchange.',
    refresh_token_expired: NEW_SIGN_IN,
    refresh_token_used:
      'As a precaution, the whole grant was revoked. Store each new `refresh_token` before you use it, and do not refresh in parallel. You can set a grace period for the application.',
    mfa_required: 'Ask the person to sign in again. They will be asked for their second factor.',
    access_ended:
      'Access was revoked, the session ended before the code was exchanged, the password changed, the account was closed or the application was reset. The person has to sign in again from your application.',
    scope_beyond_grant:
      'Remove `scope` from the refresh request, or make a new authorization request with this scope.',
    device_resource_unsupported:
      'Tokens for devices are only valid for this service. Remove `resource` from the device’s request.',
    resource_unknown: 'Send the exact API identifier, or remove `resource`.',
    resource_not_open_to_client: 'Ask the API’s owner to allow this application, or remove `resource`.',
    resource_blocks_client: 'Ask the API’s owner to restore access. Until then, remove `resource`.',
    resource_suspended:
      'Nothing to fix in your application. Contact the API’s owner. Until the suspension is lifted, remove `resource`.',
    scope_not_of_api:
      'Request at least one scope of each API that `resource` names, spelled exactly as registered, or remove `resource`.',
    resource_beyond_grant:
      'The authorization request did not include the resource, or the person selected none of its scopes. Include the resource in the authorization request too, or remove `resource` here.',
    token_belongs_to_other_client:
      'Check that you use the same Client ID for all requests, and that each token is stored with the Client ID it was issued to.',
    multiple_access_tokens: 'Send the token only in the Authorization header.',
    access_token_expired: 'Get a new access token with the `refresh_token`, then try again.',
    access_token_missing: 'Send the token in the `Authorization` header, after the word `Bearer`.',
    access_token_in_form:
      'Send the token in the Authorization header, or switch the application to standard mode.',
    userinfo_scope_missing: 'Request this scope. In standard mode, `openid` is enough.',
    logout_hint: 'Send the latest `id_token` from this service, unchanged, or remove the parameter.',
    logout_redirect_uri_unregistered:
      'Register this URL on the “Protocol” page, or send a registered URL, exactly as registered.',
    method: 'Use POST for the token and revocation endpoints.',
    content_type: 'Send `application/x-www-form-urlencoded`, not JSON.',
    rate_limited:
      'Wait for the number of seconds in `Retry-After`. If a server needs a higher limit, contact your administrator.',
    request_incomplete:
      'Try again. If this happens often, check the network between your server and this service.',
    service_failed: 'Try again. If this continues, send the incident code to your administrator.',
    service_busy: 'Try again after the number of seconds in `Retry-After`.',
    not_found: 'Use the endpoints from the discovery document (`/.well-known/openid-configuration`).',
    page_form_invalid: NOTHING,
    sign_up_disabled: 'The person has to ask their administrator for an account.',
  },
};
