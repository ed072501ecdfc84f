// Owns the English texts of: diagnostics. Words in braces are facts of the refused request, filled in by the page.
import type { diagnostics as reference } from '../fr/diagnostics.ts';

const NEW_SIGN_IN = 'The person has to sign in again from your application.';
const NOTHING = 'Your application has no part in it. The person can start again.';
const SECRETS = 'Check the environment variable that holds it, or create a new secret.';

export const diagnostics: typeof reference = {
  title: (application) => `Diagnostics for ${application}`,
  lead: 'What this application was refused, why, and what is left to do. No secret, code or token is kept here.',
  operatorNotice:
    'This application belongs to someone else. You see this page as an operator of this service.',
  search: 'Find an incident code',
  searchHint: 'The ten letters and digits that the person saw on the error page.',
  searchAction: 'Search',
  found: (incident) => `Incident ${incident}`,
  notFound: (incident) =>
    `No request kept for this application has the code ${incident}. Check it; newer requests may also have replaced it.`,
  showAll: 'See all refused requests',
  refused: 'Refused requests',
  refusedHint: (quota) => `The latest ${quota} are kept. Identical requests are grouped.`,
  none: 'Nothing was refused. That is a good sign.',
  noneAdvice: 'If a sign-in fails, the exact reason will appear here within seconds.',
  time: 'When',
  times: (count) => `${count} times`,
  since: 'First time',
  endpoint: 'Where',
  error: 'Error',
  address: 'IP address',
  forgotten: 'erased',
  incident: 'Incident code',
  incidents: 'Incident codes',
  others: (count) => `and ${count} more`,
  sent: 'Sent',
  registered: 'Registered',
  authorized: 'In the request',
  fromApplication: 'from the application',
  served: 'none',
  fromHolder: 'with a code, token or old secret',
  fromAnyone: 'from anyone',
  information: 'for information',
  endpoints: {
    authorize: 'Authorization',
    par: 'Pushed request (PAR)',
    device: 'Device request',
    token: 'Tokens',
    introspect: 'Introspection',
    revoke: 'Revocation',
    userinfo: 'Profile (userinfo)',
    logout: 'Sign-out',
  },

  checklist: 'Integration checklist',
  checklistHint:
    'Based on what this service has observed. “Not seen yet” is not an error: it simply has never been observed.',
  check: 'Check',
  state: 'Observed',
  seen: 'seen',
  notSeen: 'not seen yet',
  alsoWithout: 'sometimes missing',
  never: 'missing',
  lastSeen: 'Last time',
  lastWithout: 'Last time without',
  checks: {
    pkce: 'PKCE used',
    state: 'state sent',
    nonce: 'nonce sent',
    renewal: 'Renewal',
    revocation: 'Revocation at sign-out',
    userinfo: 'Profile read',
  },

  differences: {
    scheme: 'The URL sent begins with {sent}, the registered one with {registered}.',
    host: 'The host sent is {sent}, the registered one is {registered}.',
    port: 'The port sent ({sent}) is not the registered one ({registered}).',
    path: 'The path sent is {sent}, the registered one is {registered}. Case and encoding matter.',
    trailing_slash: 'The path sent is {sent}, the registered one is {registered}: mind the final slash.',
    query: 'The query or fragment sent is {sent}, the registered one is {registered}. The order matters.',
  },
  nothing: 'none',

  unknownCause: 'The request was refused.',
  causes: {
    callback_unregistered: 'The callback URL sent is not registered.',
    application_unknown: 'The application was not known here at that time.',
    agent_unreadable: 'The agent’s document could not be used.',
    application_suspended: 'The application was suspended.',
    parameter_repeated: 'The parameter {parameter} was sent several times: send it once.',
    parameter_malformed: 'The parameter {parameter} is not properly encoded UTF-8 text.',
    parameter_missing: 'The parameter {parameter} is missing or empty.',
    parameter_too_long: 'The parameter {parameter} is too long.',
    request_object: 'The request uses `request` or `request_uri`, which this service does not read here.',
    pushed_request_unknown: 'This `request_uri` was not given to this application by `/oauth/par`.',
    response_type: '`response_type` is “{sent}”: send `code`.',
    response_mode: '`response_mode` is “{sent}”, which this service does not know.',
    scope_unknown: 'None of the requested scopes (“{sent}”) exists here.',
    scope_words_ignored: 'These unknown scopes were ignored: “{words}”.',
    scope_not_registered: 'The scope “{scope}” was not chosen for this application.',
    state_missing: '`state` was missing.',
    challenge_missing: 'PKCE was missing: this application must send `code_challenge`.',
    challenge_method: '`code_challenge_method` is “{sent}”; only `S256` is accepted.',
    challenge_malformed:
      '`code_challenge` does not have the right form: {length} characters received instead of 43.',
    prompt_conflict: '`prompt=none` was combined with another value: it must stand alone.',
    max_age: '`max_age` must be a whole number of seconds.',
    claims_unreadable: '`claims` is not a JSON object of the form that OpenID Connect describes.',
    acr_unmet: 'The person cannot sign in as your essential `acr` requires: “{sent}”.',
    id_token_hint: '`id_token_hint` does not contain an `id_token` issued to this application.',
    not_signed_in:
      '`prompt=none`: the person was not signed in here, or not as you asked (a second factor may be needed).',
    signed_in_as_other: 'The person signed in with a different account from the one in `id_token_hint`.',
    consent_needed: '`prompt=none`: the person has not given permission yet.',
    person_refused: 'The person refused to share their information.',
    request_expired: 'The person took more than an hour to answer.',
    request_of_other_browser:
      'The page was opened in a different browser from the one where the request began.',
    request_unreadable: 'The request could not be read: it is malformed or has more than 200 parameters.',
    pushed_request_expired: 'The pushed request had expired when the person arrived.',
    push_required: 'This application must push its requests, but this one came in the URL.',
    grant_type_unsupported: '`grant_type` is “{sent}”, which this service does not know.',
    service_off:
      'The application may not request tokens for this API on its own behalf (`client_credentials`).',
    scope_beyond_service: 'The application requested the scope “{sent}” on its own behalf.',
    device_off: 'This application cannot sign in devices without a browser.',
    device_waiting: 'Nobody had allowed the device yet.',
    device_too_fast: 'The device asked too often.',
    device_code_unknown: 'The `device_code` is unknown, or has already been used.',
    device_code_expired: 'The `device_code` expired before anyone allowed the device.',
    credentials_twice: 'The secret was sent twice: in the form and as HTTP Basic.',
    client_ids_differ: 'The `client_id` in the form must be the one in the HTTP Basic header.',
    basic_unreadable: 'The HTTP Basic header cannot be read.',
    assertion_type: '`client_assertion_type` was missing, or is not that of a JWT.',
    assertion_refused: 'The signed assertion (`private_key_jwt`) was not accepted.',
    assertion_audience:
      'The signed assertion (`private_key_jwt`) is not for this service, or not for it alone.',
    assertion_expired: 'The signed assertion (`private_key_jwt`) has expired.',
    assertion_early: 'The signed assertion (`private_key_jwt`) is not valid yet.',
    assertion_used: 'The signed assertion (`private_key_jwt`) had already been used.',
    secret_missing: 'The secret was missing.',
    secret_not_expected: '`client_secret` was sent, but a public application has no secret.',
    secret_expired: 'Secret no. {number}, created on {created}, expired on {expired}.',
    secret_of_other: 'This secret belongs to another application or API of yours, {holder}.',
    secret_white_space: 'The secret sent contains a space or a line break.',
    secret_encoded: 'The secret sent contains “%”: it was probably encoded once too many times.',
    secret_is_client_id: 'The Client ID was sent as `client_secret`.',
    secret_shortened: 'The secret sent is truncated: it has only {length} characters.',
    secret_altered: 'The secret sent contains a mistake: its checksum is wrong.',
    secret_not_ours: 'What was sent is not a secret of this service.',
    secret_of_api: 'The secret sent is an API’s, with which only introspection works.',
    secret_of_application: 'The secret sent is an application’s.',
    api_elsewhere: 'The API’s identifier was sent as a Client ID.',
    api_suspended: 'Your API asked about a token while it is suspended.',
    secret_unknown: 'The secret is well-formed, but it does not, or no longer, go with this identifier.',
    confidential_only: 'Only an application with a secret or a key can ask about its tokens.',
    verifier_malformed: '`code_verifier` does not have the right form.',
    verifier_missing: '`code_verifier` was missing, though the authorization request had a `code_challenge`.',
    verifier_not_expected: '`code_verifier` was sent, but the authorization request had no `code_challenge`.',
    verifier_is_challenge: '`code_verifier` contains the `code_challenge` itself.',
    verifier_mismatch: 'The verifier does not match the challenge of the authorization request.',
    exchange_callback: 'At the exchange, `redirect_uri` must be the one of the authorization request.',
    token_unreadable: 'What was sent as {what} was not issued by this service.',
    token_altered: 'The {what} is truncated or altered.',
    token_mixed_up: 'A {sent} was sent instead of the {expected}.',
    token_gone: 'The {what} is too old, or was revoked: no trace of it is left.',
    resource_ambiguous: 'An access token is for one API, and `resource` did not name exactly one.',
    code_expired: 'The code had expired: it is valid for only about a minute.',
    code_used: 'The code had already been used.',
    refresh_token_expired: 'The `refresh_token` had expired: it had not been used for too long.',
    refresh_token_used: 'The `refresh_token` had already been used.',
    second_factor_demanded: 'A second factor is now required, and this permission was given without one.',
    access_ended: 'Access has ended.',
    scope_beyond_grant: 'The scope “{scope}” goes beyond what the person allowed.',
    resource_of_device: 'A device named a resource (`resource`).',
    resource_many: 'The request names more than five resources: name only the APIs that this sign-in needs.',
    resource_unknown: 'No API with the identifier {sent} is registered here.',
    resource_closed: 'The API {sent} is not open to this application.',
    resource_excluded: 'The owner of the API {sent} has cut this application off.',
    resource_suspended: 'The API {sent} is suspended.',
    scope_not_of_api: '`scope` (“{sent}”) names nothing that the API {resource} offers this application.',
    resource_beyond_grant: 'The person did not grant access to the resource {sent}.',
    token_of_other: 'This {what} was issued to another application.',
    access_token_sent_twice: 'The `access_token` was sent twice: in the header and in the form.',
    access_token_expired: 'The `access_token` had expired.',
    access_token_missing: 'The `access_token` was missing.',
    access_token_in_form:
      'The `access_token` came in the form, which this application can only do in standard mode.',
    profile_scope_missing:
      'The `access_token` does not have the scope {scope}, without which userinfo does not answer.',
    logout_hint: 'Sign-out: `id_token_hint` is not an `id_token` of this service.',
    logout_address: 'Sign-out: the URL {sent} is not registered.',
    method: 'This address was called with {sent}.',
    content_type: 'The body was not a form (`Content-Type`: “{sent}”).',
    rate_limited: 'Too many requests came from this address within a minute.',
    https_required: 'The request came by `http://`: use `https://`.',
    request_incomplete: 'The request did not arrive in full: the connection was cut.',
    body_too_large: 'The body of the request is too large: send only the parameters that are needed.',
    service_failed: 'The service itself failed. Your application is not at fault.',
    service_busy: 'The service was too busy to answer.',
    not_found: 'There is nothing at this address of the service.',
    page_form:
      'The person’s browser sent a page of this service an expired form, or something that it does not accept.',
    sign_up_closed: 'Sign-up is closed on this service.',
  },
  remedies: {
    callback_unregistered:
      'Send a registered URL, matching every character, or register this one if it is yours: anyone could have sent it. For a program on the user’s machine, use 127.0.0.1 instead of localhost: then every port matches.',
    application_unknown:
      'Check the Client ID that you send: copy it from the application’s page. If it is right, try again.',
    agent_unreadable: 'Look at the reason in the answer itself.',
    application_suspended: 'Contact the people who run this service.',
    parameter_malformed:
      'Build the URL or the form with your language’s own functions (URLSearchParams, for example).',
    parameter_too_long: 'Keep the data on your side and send only a short random value.',
    request_object: 'Send the parameters themselves, or push them to `/oauth/par` first.',
    pushed_request_unknown:
      'It was altered or truncated, or belongs to another one. Send the `request_uri` exactly as you received it, with the `client_id` that pushed the request.',
    response_mode: 'Remove `response_mode`, or use one of those listed in the discovery document.',
    scope_unknown: 'Request `openid`, `profile`, `email` or `phone`, separated by spaces.',
    scope_words_ignored:
      'Nothing was refused. If your library insists on receiving every scope it requests, remove them from the request.',
    scope_not_registered: 'Add it in the application’s settings, or stop requesting it.',
    state_missing:
      'Send a random value in `state` and compare it when it comes back. If your OpenID Connect library does not, switch the application to standard mode.',
    challenge_missing:
      'Send `code_challenge` and `code_challenge_method=S256`, then `code_verifier` at the exchange.',
    challenge_method: 'Send the SHA-256 of the verifier and `code_challenge_method=S256`, with a capital S.',
    challenge_malformed: 'Encode the SHA-256 of the verifier in base64url, without “=” at the end.',
    claims_unreadable:
      'Send an object with `id_token`, in that `acr`, and there `essential` set to `true` and the accepted values in `values`.',
    acr_unmet: 'Accept another value, or ask for it in `acr_values`, where it is only a wish.',
    id_token_hint: 'Send the last `id_token` that this application received, or remove the parameter.',
    not_signed_in: 'This is a normal response. Offer the sign-in button, or try again without `prompt=none`.',
    signed_in_as_other: 'This is a normal response. Remove `id_token_hint` if any account will do.',
    consent_needed: 'This is a normal response. Try again without `prompt=none`.',
    person_refused:
      'That is their right. Tell them what your application can do without it, and let them try again.',
    request_expired: 'Nothing to fix: the person was able to start again.',
    request_of_other_browser:
      'Nothing to fix if it stays rare: the person starts again from your application. A copied link or an embedded browser is often the cause.',
    request_unreadable:
      'Build the URL with your language’s own functions (URL and URLSearchParams, for example).',
    pushed_request_expired: 'Push the request just before you redirect the person, not when your page loads.',
    push_required: 'Push the request to `/oauth/par` and send only the `request_uri` that you receive.',
    grant_type_unsupported:
      'Send one of those listed in the discovery document: usually `authorization_code` or `refresh_token`.',
    service_off:
      'The API’s owner has not granted that, or the application is public. Ask the API’s owner for it on the application’s “APIs” page. A public application cannot have it.',
    scope_beyond_service:
      'It goes beyond what the API’s owner granted it. Ask the API’s owner for that scope on the application’s “APIs” page, or stop requesting it.',
    device_off: 'Turn this on on the “Protocol” page.',
    device_waiting: 'This is a normal response. Keep polling, no more often than `interval` says.',
    device_too_fast: 'Wait five seconds longer after each `slow_down`.',
    device_code_unknown:
      'Send the `device_code` from the latest response, and only once after the person has allowed the device.',
    device_code_expired: 'Ask for a new one and show its code to the person.',
    credentials_twice: 'Choose one of the two methods in the settings of your library.',
    basic_unreadable: 'Encode Client ID and secret, separated by a colon, in base64.',
    assertion_type: 'Send `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    assertion_refused:
      'Check that the key is registered, that aud names this service, that exp is at most an hour away, that each jti is used once, and that typ is `client-authentication+jwt`, `JWT` or absent.',
    assertion_audience: 'Give aud one value: the issuer of this service, as discovery names it.',
    assertion_expired:
      'It expired {seconds} seconds ago by our clock, and was made {age} seconds ago. Sign a new one for each request. If it was new, your server’s clock is about {age} seconds slow: synchronise it by NTP; 30 seconds are tolerated.',
    assertion_early:
      'It is {seconds} seconds ahead of our clock. Your server’s clock is about {seconds} seconds fast: synchronise it by NTP; 30 seconds are tolerated.',
    assertion_used:
      'Sign a new one for each request, with a unique `jti`. If you already do, someone has sent a copy.',
    secret_missing: 'Send `client_secret`. If it comes from an environment variable, check that it is set.',
    secret_expired: 'An old secret is still in use somewhere: replace it with the newest one.',
    secret_of_other:
      'Each identifier goes with its own secret: check that two configurations have not been mixed up.',
    secret_white_space: 'A line break has probably slipped in at the end of the file or variable: remove it.',
    secret_encoded: 'Give the secret to your library as it is.',
    secret_shortened: 'Copy all of it. If you no longer have it, create a new one.',
    secret_altered: 'Copy it again instead of typing it. If you no longer have it, create a new one.',
    secret_not_ours:
      'Ours start with `sesame_secret_`, or with `sesame_api_secret_` for an API. Check the environment variable that holds it, or create a new secret.',
    secret_of_api:
      'An application’s starts with `sesame_secret_`. Configure the Client ID and the secret of the application.',
    secret_of_application:
      'That of an API starts with `sesame_api_secret_`. An API checks tokens with a secret of its own: create one on its secrets page.',
    api_elsewhere:
      'An API is no application: it can only ask about tokens, at the introspection address. To obtain tokens, register an application.',
    api_suspended:
      'Every token is inactive for it. To have the suspension lifted, contact the people who run this service.',
    secret_unknown: SECRETS,
    verifier_malformed:
      'It takes 43 to 128 characters from A-Z a-z 0-9 - . _ ~ ({length} received). Draw it at random from these characters and send it unchanged.',
    verifier_missing: 'Keep the verifier in the person’s session and send it at the exchange.',
    verifier_not_expected:
      'Send `code_challenge` and `code_challenge_method=S256` with the authorization request.',
    verifier_is_challenge: 'At the exchange, send the original value, not its digest.',
    verifier_mismatch:
      'It probably comes from another tab or an earlier attempt: keep one for each request, stored under its `state`.',
    token_unreadable:
      'Send the `code` from the callback URL, decoded once, or the `refresh_token` from the latest response.',
    token_altered:
      'Send all of it, exactly as you received it. The column that stores it must hold at least 200 characters.',
    token_mixed_up:
      'To exchange a code, send `grant_type=authorization_code`; to renew, `grant_type=refresh_token`. Everywhere else, send the `access_token`.',
    token_gone: NEW_SIGN_IN,
    resource_ambiguous: 'Name one resource at a time in `resource`, and request a token for each API.',
    code_expired: 'Exchange it as soon as the person arrives at your callback URL.',
    code_used:
      'To be safe, everything it had given was revoked. Exchange it only once: reloading the callback page must not repeat the exchange.',
    refresh_token_expired: NEW_SIGN_IN,
    refresh_token_used:
      'To be safe, this whole sign-in was revoked. Store each new `refresh_token` before you use it, and do not renew twice in parallel. You can set a grace period for the application.',
    second_factor_demanded: 'Ask the person to sign in again: they will show their second factor on the way.',
    access_ended:
      'It was revoked, the session ended before the code was exchanged, the password changed, the account was closed or the application was reset. The person has to sign in again from your application.',
    scope_beyond_grant:
      'Remove `scope` from the renewal, or make a new authorization request with this scope.',
    resource_of_device:
      'Its tokens are only valid for this service. Remove `resource` from the device’s request.',
    resource_unknown: 'Send the API identifier, matching every character, or remove `resource`.',
    resource_closed:
      'Its owner decides which ones it admits. Ask the API’s owner to open it, or remove `resource`.',
    resource_excluded: 'Ask the API’s owner why. Until they let it in again, remove `resource`.',
    resource_suspended:
      'Nothing to fix in your application: ask the API’s owner. Until it is back, remove `resource`.',
    scope_not_of_api:
      'Request at least one scope of each API that `resource` names, exactly as its owner wrote it, or remove `resource`.',
    resource_beyond_grant:
      'The authorization request did not name it, or the person ticked none of its scopes. Name it in the authorization request too, or remove `resource` here.',
    token_of_other:
      'Check that the same Client ID is used from the authorization request on, and that each token is kept with the Client ID that received it.',
    access_token_sent_twice: 'Send it only in the Authorization header.',
    access_token_expired: 'Renew it with the `refresh_token`, then try again.',
    access_token_missing: 'Send the Authorization header with the word Bearer, a space and the token.',
    access_token_in_form: 'Send it in the Authorization header, or switch the application to standard mode.',
    profile_scope_missing: 'Request this scope too. In standard mode, `openid` is enough.',
    logout_hint: 'Send the last `id_token` that this service gave you, in full, or remove the parameter.',
    logout_address: 'Register it on the “Protocol” page, matching every character, or send one that is.',
    method: 'Call the token and revocation addresses with POST.',
    content_type: 'Send `application/x-www-form-urlencoded`, not JSON.',
    rate_limited:
      'Wait for the number of seconds in `Retry-After`. If a server needs more, ask the people who run this service.',
    request_incomplete:
      'Try again. If it keeps happening, look for what cuts the connection between your server and this service.',
    service_failed: 'Try again. If it continues, give the incident code to the people who run this service.',
    service_busy: 'Try again after the number of seconds in `Retry-After`.',
    not_found: 'Take the addresses from the discovery document (`/.well-known/openid-configuration`).',
    page_form: NOTHING,
    sign_up_closed: 'The person has to ask the people who run this service for an account.',
  },
};
