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
    pkce: {
      title: 'PKCE used',
      why: 'code_challenge in the request, code_verifier at the exchange: a stolen code is useless.',
    },
    state: {
      title: 'state sent',
      why: 'A random value to compare on return, against forged requests. We see it sent, not compared.',
    },
    nonce: {
      title: 'nonce sent',
      why: 'It ties the id_token to this sign-in. Useful only if you read the id_token.',
    },
    keys: {
      title: 'Keys fetched',
      why: 'The public keys were read from an address that also requests tokens for this application. Needed to verify an id_token.',
    },
    renewal: {
      title: 'Renewal',
      why: 'A refresh_token was exchanged: sessions can last longer than an hour.',
    },
    revocation: {
      title: 'Revocation at sign-out',
      why: 'The token is revoked when the person leaves the application.',
    },
    userinfo: { title: 'Profile read', why: 'The userinfo address has answered the application.' },
    secret: {
      title: 'Secret sent',
      why: 'In the form (client_secret) or as HTTP Basic: both are accepted.',
    },
  },
  secretInForm: 'in the form',
  secretAsBasic: 'as HTTP Basic',
  secretBoth: 'in the form and as HTTP Basic',

  differences: {
    scheme: 'The URL sent begins with {sent}, the registered one with {registered}.',
    host: 'The host sent is {sent}, the registered one is {registered}.',
    port: 'The port sent ({sent}) is not the registered one ({registered}).',
    path: 'The path sent is {sent}, the registered one is {registered}. Case and encoding matter.',
    trailing_slash: 'The path sent is {sent}, the registered one is {registered}: mind the final slash.',
    query: 'The query or fragment sent is {sent}, the registered one is {registered}. The order matters.',
  },
  nothing: 'none',

  unknownKind: {
    what: 'The request was refused.',
    next: 'Start from one of the examples on the “Integrate” page.',
  },
  kinds: {
    callback_unregistered: {
      what: 'The callback URL sent is not registered.',
      next: 'Send a registered URL, matching every character, or register this one.',
    },
    application_unknown: {
      what: 'The application was not known here at that time.',
      next: 'Check the Client ID that you send: copy it from the application’s page. If it is right, try again.',
    },
    agent_unreadable: {
      what: 'The agent’s document could not be used.',
      next: 'Look at the reason in the answer itself.',
    },
    application_suspended: {
      what: 'The application was suspended.',
      next: 'Contact the people who run this service.',
    },
    parameter_repeated: {
      what: 'The parameter {parameter} was sent several times.',
      next: 'Send each parameter once.',
    },
    parameter_malformed: {
      what: 'The parameter {parameter} is not properly encoded UTF-8 text.',
      next: 'Build the URL or the form with your language’s own functions (URLSearchParams, for example).',
    },
    parameter_missing: {
      what: 'The parameter {parameter} was missing, or empty.',
      next: 'Add it to the request, once.',
    },
    parameter_too_long: {
      what: 'The parameter {parameter} is too long.',
      next: 'Keep the data on your side and send only a short random value.',
    },
    request_object: {
      what: 'The request uses `request` or `request_uri`, which this service does not read here.',
      next: 'Send the parameters themselves, or push them to `/oauth/par` first.',
    },
    pushed_request_unknown: {
      what: 'This `request_uri` was not given to this application by `/oauth/par`.',
      more: 'It was altered or truncated, or belongs to another one.',
      next: 'Send the `request_uri` exactly as you received it, with the `client_id` that pushed the request.',
    },
    response_type: {
      what: '`response_type` is “{sent}” instead of “code”.',
      next: 'Send `response_type=code`.',
    },
    response_mode: {
      what: '`response_mode` is “{sent}”, which this service does not know.',
      next: 'Remove `response_mode`, or use one of those listed in the discovery document.',
    },
    scope_unknown: {
      what: 'None of the requested scopes (“{sent}”) exists here.',
      next: 'Request `openid`, `profile`, `email` or `phone`, separated by spaces.',
    },
    scope_words_ignored: {
      what: 'These unknown scopes were ignored: “{words}”.',
      next: 'Nothing was refused. If your library insists on receiving every scope it requests, remove them from the request.',
    },
    scope_not_registered: {
      what: 'The scope “{scope}” was not chosen for this application.',
      next: 'Add it in the application’s settings, or stop requesting it.',
    },
    state_missing: {
      what: '`state` was missing.',
      next: 'Send a random value in `state` and compare it when it comes back. If your OpenID Connect library does not, switch the application to standard mode.',
    },
    challenge_missing: {
      what: 'PKCE was missing: this application must send `code_challenge`.',
      next: 'Send `code_challenge` and `code_challenge_method=S256`, then `code_verifier` at the exchange.',
    },
    challenge_method: {
      what: '`code_challenge_method` is “{sent}”; only `S256` is accepted.',
      next: 'Send the SHA-256 of the verifier and `code_challenge_method=S256`, with a capital S.',
    },
    challenge_malformed: {
      what: '`code_challenge` does not have the right form: {length} characters received instead of 43.',
      next: 'Encode the SHA-256 of the verifier in base64url, without “=” at the end.',
    },
    prompt_conflict: {
      what: '`prompt=none` was combined with another value.',
      next: 'Send `none` alone, or not at all.',
    },
    max_age: {
      what: '`max_age` is not a number of seconds.',
      next: 'Send a whole number.',
    },
    claims_unreadable: {
      what: '`claims` is not a JSON object of the form that OpenID Connect describes.',
      next: 'Send an object with `id_token`, in that `acr`, and there `essential` set to `true` and the accepted values in `values`.',
    },
    acr_unmet: {
      what: 'The person cannot sign in as your essential `acr` requires: “{sent}”.',
      next: 'Accept another value, or ask for it in `acr_values`, where it is only a wish.',
    },
    id_token_hint: {
      what: '`id_token_hint` does not contain an `id_token` issued to this application.',
      next: 'Send the last `id_token` that this application received, or remove the parameter.',
    },
    not_signed_in: {
      what: '`prompt=none`: the person was not signed in here, or not as you asked (a second factor may be needed).',
      next: 'This is a normal response. Offer the sign-in button, or try again without `prompt=none`.',
    },
    signed_in_as_other: {
      what: 'The person signed in with a different account from the one in `id_token_hint`.',
      next: 'This is a normal response. Remove `id_token_hint` if any account will do.',
    },
    consent_needed: {
      what: '`prompt=none`: the person has not given permission yet.',
      next: 'This is a normal response. Try again without `prompt=none`.',
    },
    person_refused: {
      what: 'The person refused to share their information.',
      next: 'That is their right. Tell them what your application can do without it, and let them try again.',
    },
    request_expired: {
      what: 'The person took more than an hour to answer.',
      next: 'Nothing to fix: the person was able to start again.',
    },
    request_of_other_browser: {
      what: 'The page was opened in a different browser from the one where the request began.',
      next: 'Nothing to fix if it stays rare: the person starts again from your application. A copied link or an embedded browser is often the cause.',
    },
    request_unreadable: {
      what: 'The request could not be read: its address or headers are not valid.',
      next: 'Build the URL with your language’s own functions (URL and URLSearchParams, for example).',
    },
    pushed_request_expired: {
      what: 'The pushed request had expired when the person arrived.',
      next: 'Push the request just before you redirect the person, not when your page loads.',
    },
    push_required: {
      what: 'This application must push its requests, but this one came in the URL.',
      next: 'Push the request to `/oauth/par` and send only the `request_uri` that you receive.',
    },
    grant_type_unsupported: {
      what: '`grant_type` is “{sent}”, which this service does not know.',
      next: 'Send one of those listed in the discovery document: usually `authorization_code` or `refresh_token`.',
    },
    service_off: {
      what: 'The application may not request tokens for this API on its own behalf (`client_credentials`).',
      more: 'The API’s owner has not granted that, or the application is public.',
      next: 'Ask the API’s owner for it on the application’s “APIs” page. A public application cannot have it.',
    },
    scope_beyond_service: {
      what: 'The application requested the scope “{sent}” on its own behalf.',
      more: 'It goes beyond what the API’s owner granted it.',
      next: 'Ask the API’s owner for that scope on the application’s “APIs” page, or stop requesting it.',
    },
    device_off: {
      what: 'This application cannot sign in devices without a browser.',
      next: 'Turn this on on the “Protocol” page.',
    },
    device_waiting: {
      what: 'Nobody had allowed the device yet.',
      next: 'This is a normal response. Keep polling, no more often than `interval` says.',
    },
    device_too_fast: {
      what: 'The device asked too often.',
      next: 'Wait five seconds longer after each `slow_down`.',
    },
    device_code_unknown: {
      what: 'The `device_code` is unknown, or has already been used.',
      next: 'Send the `device_code` from the latest response, and only once after the person has allowed the device.',
    },
    device_code_expired: {
      what: 'The `device_code` expired before anyone allowed the device.',
      next: 'Ask for a new one and show its code to the person.',
    },
    credentials_twice: {
      what: 'The secret was sent twice: in the form and as HTTP Basic.',
      next: 'Choose one of the two methods in the settings of your library.',
    },
    client_ids_differ: {
      what: 'The `client_id` in the form is not the one in the HTTP Basic header.',
      next: 'Send the same, or only one of the two.',
    },
    basic_unreadable: {
      what: 'The HTTP Basic header cannot be read.',
      next: 'Encode Client ID and secret, separated by a colon, in base64.',
    },
    assertion_type: {
      what: '`client_assertion_type` was missing, or is not that of a JWT.',
      next: 'Send `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    },
    assertion_refused: {
      what: 'The signed assertion (`private_key_jwt`) was not accepted.',
      next: 'Check that the key is registered, that aud names this service, that exp is at most an hour away, that each jti is used once, and that typ is `client-authentication+jwt`, `JWT` or absent.',
    },
    assertion_audience: {
      what: 'The signed assertion (`private_key_jwt`) is not for this service, or not for it alone.',
      next: 'Give aud one value: the issuer of this service, as discovery names it.',
    },
    assertion_expired: {
      what: 'The signed assertion (`private_key_jwt`) has expired.',
      more: 'It expired {seconds} seconds ago by our clock, and was made {age} seconds ago.',
      next: 'Sign a new one for each request. If it was new, your server’s clock is about {age} seconds slow: synchronise it by NTP; 30 seconds are tolerated.',
    },
    assertion_early: {
      what: 'The signed assertion (`private_key_jwt`) is not valid yet.',
      more: 'It is {seconds} seconds ahead of our clock.',
      next: 'Your server’s clock is about {seconds} seconds fast: synchronise it by NTP; 30 seconds are tolerated.',
    },
    assertion_used: {
      what: 'The signed assertion (`private_key_jwt`) had already been used.',
      next: 'Sign a new one for each request, with a unique `jti`. If you already do, someone has sent a copy.',
    },
    secret_missing: {
      what: 'The secret was missing.',
      next: 'Send `client_secret`. If it comes from an environment variable, check that it is set.',
    },
    secret_not_expected: {
      what: 'A secret was sent, but a public application has none.',
      next: 'Remove `client_secret` from your library’s settings.',
    },
    secret_expired: {
      what: 'Secret no. {number}, created on {created}, expired on {expired}.',
      next: 'An old secret is still in use somewhere: replace it with the newest one.',
    },
    secret_of_other: {
      what: 'This secret belongs to another application or API of yours, {holder}.',
      next: 'Each identifier goes with its own secret: check that two configurations have not been mixed up.',
    },
    secret_white_space: {
      what: 'The secret sent contains a space or a line break.',
      next: 'A line break has probably slipped in at the end of the file or variable: remove it.',
    },
    secret_encoded: {
      what: 'The secret sent contains “%”: it was probably encoded once too many times.',
      next: 'Give the secret to your library as it is.',
    },
    secret_is_client_id: {
      what: 'The Client ID was sent instead of the secret.',
      next: 'Put the secret into `client_secret`.',
    },
    secret_shortened: {
      what: 'The secret sent is truncated: it has only {length} characters.',
      next: 'Copy all of it. If you no longer have it, create a new one.',
    },
    secret_altered: {
      what: 'The secret sent contains a mistake: its checksum is wrong.',
      next: 'Copy it again instead of typing it. If you no longer have it, create a new one.',
    },
    secret_not_ours: {
      what: 'What was sent is not a secret of this service.',
      more: 'Ours start with `sesame_secret_`, or with `sesame_api_secret_` for an API.',
      next: SECRETS,
    },
    secret_of_api: {
      what: 'The secret sent is an API’s, with which only introspection works.',
      more: 'An application’s starts with `sesame_secret_`.',
      next: 'Configure the Client ID and the secret of the application.',
    },
    secret_of_application: {
      what: 'The secret sent is an application’s.',
      more: 'That of an API starts with `sesame_api_secret_`.',
      next: 'An API checks tokens with a secret of its own: create one on its secrets page.',
    },
    api_elsewhere: {
      what: 'The API’s identifier was sent as a Client ID.',
      next: 'An API is no application: it can only ask about tokens, at the introspection address. To obtain tokens, register an application.',
    },
    api_suspended: {
      what: 'Your API asked about a token while it is suspended.',
      more: 'Every token is inactive for it.',
      next: 'To have the suspension lifted, contact the people who run this service.',
    },
    secret_unknown: {
      what: 'The secret is well-formed, but it does not, or no longer, go with this identifier.',
      next: SECRETS,
    },
    confidential_only: {
      what: 'A public application cannot use this address.',
      next: 'Only an application with a secret or a key can ask about its tokens.',
    },
    verifier_malformed: {
      what: '`code_verifier` does not have the right form.',
      more: 'It takes 43 to 128 characters from A-Z a-z 0-9 - . _ ~ ({length} received).',
      next: 'Draw it at random from these characters and send it unchanged.',
    },
    verifier_missing: {
      what: '`code_verifier` was missing, though the authorization request had a `code_challenge`.',
      next: 'Keep the verifier in the person’s session and send it at the exchange.',
    },
    verifier_not_expected: {
      what: '`code_verifier` was sent, but the authorization request had no `code_challenge`.',
      next: 'Send `code_challenge` and `code_challenge_method=S256` with the authorization request.',
    },
    verifier_is_challenge: {
      what: '`code_verifier` contains the `code_challenge` itself.',
      next: 'At the exchange, send the original value, not its digest.',
    },
    verifier_mismatch: {
      what: 'The verifier does not match the challenge of the authorization request.',
      next: 'It probably comes from another tab or an earlier attempt: keep one for each request, stored under its `state`.',
    },
    exchange_callback: {
      what: 'At the exchange, `redirect_uri` is not the one of the authorization request.',
      next: 'Send the same URL in both places.',
    },
    token_unreadable: {
      what: 'What was sent as {what} was not issued by this service.',
      next: 'Send the `code` from the callback URL, decoded once, or the `refresh_token` from the latest response.',
    },
    token_altered: {
      what: 'The {what} is truncated or altered.',
      next: 'Send all of it, exactly as you received it. The column that stores it must hold at least 200 characters.',
    },
    token_mixed_up: {
      what: 'A {sent} was sent instead of the {expected}.',
      next: 'To exchange a code, send `grant_type=authorization_code`; to renew, `grant_type=refresh_token`. Everywhere else, send the `access_token`.',
    },
    token_gone: {
      what: 'The {what} is too old, or was revoked: no trace of it is left.',
      next: NEW_SIGN_IN,
    },
    resource_ambiguous: {
      what: 'An access token is for one API, and `resource` did not name exactly one.',
      next: 'Name one resource at a time in `resource`, and request a token for each API.',
    },
    code_expired: {
      what: 'The code had expired: it is valid for only about a minute.',
      next: 'Exchange it as soon as the person arrives at your callback URL.',
    },
    code_used: {
      what: 'The code had already been used.',
      more: 'To be safe, everything it had given was revoked.',
      next: 'Exchange it only once: reloading the callback page must not repeat the exchange.',
    },
    refresh_token_expired: {
      what: 'The `refresh_token` had expired: it had not been used for too long.',
      next: NEW_SIGN_IN,
    },
    refresh_token_used: {
      what: 'The `refresh_token` had already been used.',
      more: 'To be safe, this whole sign-in was revoked.',
      next: 'Store each new `refresh_token` before you use it, and do not renew twice in parallel. You can set a grace period for the application.',
    },
    second_factor_demanded: {
      what: 'A second factor is now required, and this permission was given without one.',
      next: 'Ask the person to sign in again: they will show their second factor on the way.',
    },
    access_ended: {
      what: 'Access has ended.',
      more: 'It was revoked, the session ended before the code was exchanged, the password changed, the account was closed or the application was reset.',
      next: NEW_SIGN_IN,
    },
    scope_beyond_grant: {
      what: 'The scope “{scope}” goes beyond what the person allowed.',
      next: 'Remove `scope` from the renewal, or make a new authorization request with this scope.',
    },
    resource_of_device: {
      what: 'A device named a resource (`resource`).',
      more: 'Its tokens are only valid for this service.',
      next: 'Remove `resource` from the device’s request.',
    },
    resource_many: {
      what: 'The request names too many resources: five at most.',
      next: 'Name only the APIs that your application needs for this sign-in.',
    },
    resource_unknown: {
      what: 'No API with the identifier {sent} is registered here.',
      next: 'Send the API identifier, matching every character, or remove `resource`.',
    },
    resource_closed: {
      what: 'The API {sent} is not open to this application.',
      more: 'Its owner decides which ones it admits.',
      next: 'Ask the API’s owner to open it, or remove `resource`.',
    },
    resource_excluded: {
      what: 'The owner of the API {sent} has cut this application off.',
      next: 'Ask the API’s owner why. Until they let it in again, remove `resource`.',
    },
    resource_suspended: {
      what: 'The API {sent} is suspended.',
      next: 'Nothing to fix in your application: ask the API’s owner. Until it is back, remove `resource`.',
    },
    scope_not_of_api: {
      what: '`scope` (“{sent}”) names nothing that the API {resource} offers this application.',
      next: 'Request at least one scope of each API that `resource` names, exactly as its owner wrote it, or remove `resource`.',
    },
    resource_beyond_grant: {
      what: 'The person did not grant access to the resource {sent}.',
      more: 'The authorization request did not name it, or the person ticked none of its scopes.',
      next: 'Name it in the authorization request too, or remove `resource` here.',
    },
    token_of_other: {
      what: 'This {what} was issued to another application.',
      next: 'Check that the same Client ID is used from the authorization request on, and that each token is kept with the Client ID that received it.',
    },
    access_token_sent_twice: {
      what: 'The `access_token` was sent twice: in the header and in the form.',
      next: 'Send it only in the Authorization header.',
    },
    access_token_expired: {
      what: 'The `access_token` had expired.',
      next: 'Renew it with the `refresh_token`, then try again.',
    },
    access_token_missing: {
      what: 'The `access_token` was missing.',
      next: 'Send the Authorization header with the word Bearer, a space and the token.',
    },
    access_token_in_form: {
      what: 'The `access_token` came in the form, which this application can only do in standard mode.',
      next: 'Send it in the Authorization header, or switch the application to standard mode.',
    },
    profile_scope_missing: {
      what: 'The `access_token` does not have the scope {scope}, without which userinfo does not answer.',
      next: 'Request this scope too. In standard mode, `openid` is enough.',
    },
    logout_hint: {
      what: 'Sign-out: `id_token_hint` is not an `id_token` of this service.',
      next: 'Send the last `id_token` that this service gave you, in full, or remove the parameter.',
    },
    logout_address: {
      what: 'Sign-out: the URL {sent} is not registered.',
      next: 'Register it on the “Protocol” page, matching every character, or send one that is.',
    },
    method: {
      what: 'This address was called with {sent}.',
      next: 'Call the token and revocation addresses with POST.',
    },
    content_type: {
      what: 'The body was not a form (`Content-Type`: “{sent}”).',
      next: 'Send `application/x-www-form-urlencoded`, not JSON.',
    },
    rate_limited: {
      what: 'Too many requests came from this address within a minute.',
      next: 'Wait for the number of seconds in `Retry-After`. If a server needs more, ask the people who run this service.',
    },
    https_required: {
      what: 'The request arrived without HTTPS.',
      next: 'Replace `http://` with `https://` in the address of this service.',
    },
    request_incomplete: {
      what: 'The request did not arrive in full: the connection was cut.',
      next: 'Try again. If it keeps happening, look for what cuts the connection between your server and this service.',
    },
    body_too_large: {
      what: 'The body of the request is too large.',
      next: 'Send only the parameters that are needed.',
    },
    service_failed: {
      what: 'The service itself failed. Your application is not at fault.',
      next: 'Try again. If it continues, give the incident code to the people who run this service.',
    },
    service_busy: {
      what: 'The service was too busy to answer.',
      next: 'Try again after the number of seconds in `Retry-After`.',
    },
    not_found: {
      what: 'There is nothing at this address of the service.',
      next: 'Take the addresses from the discovery document (`/.well-known/openid-configuration`).',
    },
    page_form: {
      what: 'The person’s browser sent a page of this service an expired form, or something that it does not accept.',
      next: NOTHING,
    },
    sign_up_closed: {
      what: 'Sign-up is closed on this service.',
      next: 'The person has to ask the people who run this service for an account.',
    },
  },
};
