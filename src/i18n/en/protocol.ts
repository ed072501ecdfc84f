// Owns the English texts of an application’s protocol settings.
import type { protocol as reference } from '../fr/protocol.ts';

export const protocol: typeof reference = {
  title: (application) => `Protocol of ${application}`,
  lead: 'None of this is needed to begin with: each setting belongs to a standard, and stays off until you need it.',
  action: 'Save',
  done: 'The settings are saved, and count from now on.',
  line: (entry, words) => `${entry}: ${words}`,
  tokens: 'Tokens',
  algorithm: 'Signature of id_tokens',
  algorithmHint: 'RS256 is understood everywhere. Change it only if your library asks for it.',
  claims: 'Claims in the id_token',
  claimsHint:
    'Name, email address and whatever else the granted scopes cover, for libraries that read nothing but the id_token. People see that the application received them. By the mode: yes in standard mode, otherwise no.',
  claimsChoices: {
    auto: 'By the mode',
    always: 'Always',
    never: 'Never',
  },
  resources: 'Resource servers (RFC 8707)',
  resourcesHint:
    'One URI a line. An access token asked for with resource carries that URI in aud: your API checks it by our published keys, and it is no key to the profile here.',
  requests: 'Requests',
  par: 'Pushed requests (RFC 9126)',
  parLabel: 'Accept only requests that were pushed to /oauth/par',
  pkce: 'PKCE (RFC 7636)',
  pkceLabel: 'Accept only requests with a code_challenge',
  device: 'Devices without a browser (RFC 8628)',
  deviceLabel: 'Let devices sign in with a code',
  own: 'On its own account',
  serviceScopes: 'Scopes of the application itself (client_credentials)',
  serviceScopesHint:
    'Separated by spaces, such as reports.read. With them the application gets tokens without any person, each for the resource servers that its request names (resource). Empty: this is off.',
  keys: 'Public keys (private_key_jwt)',
  keysHint:
    'A JWK Set in JSON. The application can then sign with its private key instead of sending its secret: RS256, PS256, ES256 or EdDSA.',
  logout: 'Sign-out',
  postLogout: 'Addresses to return to after sign-out',
  postLogoutHint: 'One a line, compared character by character (post_logout_redirect_uri).',
  backchannel: 'Address to be told of sign-outs (back-channel)',
  backchannelHint:
    'We send a logout_token there when the session of a person ends here. A public https address.',
  deliveries: 'Latest sign-outs announced',
  noDelivery: 'None so far.',
  deliveryAt: 'Session ended on',
  attempts: 'Attempts',
  outcome: 'Outcome',
  delivered: 'received',
  waiting: (time) => `next attempt on ${time}`,
  givenUp: 'given up',
  faults: {
    tooMany: 'There are too many: 20 entries at most, or 5 keys.',
    logoutAddressInvalid: 'This address cannot be returned to: the rules of callback URLs hold here too.',
    backchannelInvalid: 'Enter a complete https address, without a fragment.',
    resourceInvalid: 'A resource is an absolute URI without a fragment, such as https://api.example.com/v1.',
    resourceTaken:
      'An application of another account has this resource. Its owner can register yours there and hand it over to you.',
    scopeInvalid: 'A scope holds no quotation mark or backslash, and 100 characters at most.',
    scopeTaken: 'This name stands for data of people already.',
    keysUnreadable: 'This text is no JWK Set: paste the public keys in JSON, in a list named keys.',
    keyPrivate:
      'One of these keys is private! It has not been saved. Paste the public key, and replace this one.',
    keyUnfit:
      'One of these keys will not do: RSA of at least 2048 bits, P-256 or Ed25519, with the algorithm that goes with it.',
  },
  tile: 'Protocol',
  tileHint: 'Advanced OpenID Connect settings: sign-out, PAR, keys, devices.',
};
