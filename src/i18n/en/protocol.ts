// Owns the English texts of an application’s protocol settings.
import type { protocol as reference } from '../fr/protocol.ts';

export const protocol: typeof reference = {
  title: (application) => `Protocol settings for ${application}`,
  lead: 'You need none of this to get started. Each setting implements a standard, and stays off until you need it.',
  action: 'Save',
  done: 'Your settings have been saved and apply from now on.',
  line: (entry, words) => `${entry}: ${words}`,
  tokens: 'Tokens',
  algorithm: 'id_token signature',
  algorithmHint: 'RS256 is supported everywhere. Change it only if your library requires another one.',
  claims: 'Claims in the id_token',
  claimsHint:
    'The name, the email address and anything else that the granted scopes cover, for libraries that read only the id_token. People can see that the application received them. “Depending on the mode”: yes in standard mode, no in native mode.',
  claimsChoices: {
    auto: 'Depending on the mode',
    always: 'Always',
    never: 'Never',
  },
  signIn: 'Sign-in',
  secondFactor: 'Second factor',
  secondFactorLabel: 'Require a second factor',
  secondFactorHint:
    'Anyone without one sets it up on the way. Permissions given without a second factor are no longer renewed: those people sign in again.',
  requests: 'Requests',
  par: 'Pushed requests (RFC 9126)',
  parLabel: 'Accept only requests pushed to /oauth/par',
  pkce: 'PKCE (RFC 7636)',
  pkceLabel: 'Accept only requests with a code_challenge',
  device: 'Devices without a browser (RFC 8628)',
  deviceLabel: 'Let devices sign in with a code',
  authentication: 'Authentication',
  keys: 'Public keys (private_key_jwt)',
  keysHint:
    'A JWK Set in JSON. The application can then sign with its private key instead of sending its secret, with RS256, PS256, ES256 or EdDSA.',
  logout: 'Sign-out',
  postLogout: 'Sign-out URLs',
  postLogoutHint: 'One per line, compared character by character (post_logout_redirect_uri).',
  backchannel: 'URL notified of sign-outs (back-channel)',
  backchannelHint: 'We send a logout_token there when a person’s session ends here.',
  deliveries: 'Latest sign-outs sent',
  noDelivery: 'None yet.',
  deliveryAt: 'Session ended',
  attempts: 'Attempts',
  outcome: 'Outcome',
  delivered: 'received',
  waiting: 'next attempt on',
  givenUp: 'given up',
  missed: {
    answered: 'The application answered {detail} instead of 200.',
    refused: 'No server is listening at this address.',
    'not-https': 'The address does not begin with https://.',
    'not-public':
      'The domain name does not exist, or its address is not public: this service does not call it.',
    timeout: 'No answer within five seconds.',
    'too-large': 'The headers of the answer are too long.',
    encoded: 'The answer is compressed, though nobody asked for that.',
    failed: 'The connection failed: {detail}',
    nobody: 'There was nobody left to notify: the address was removed, or the application suspended.',
    ours: 'This service could not send it. Your application is not at fault.',
  },
  faults: {
    tooMany: 'There are too many: at most 20 entries, or 5 keys.',
    uriNotAbsolute: 'it is not a full URL, such as https://example.com/goodbye.',
    uriOwnParameter: 'it contains code, state, iss or error, which are reserved parameters.',
    backchannelInvalid: 'Enter a full https URL, without a fragment.',
    keysUnreadable: 'This is not a JWK Set: paste the public keys as JSON, in a list named keys.',
    keyPrivate:
      'One of these keys is private, and has not been saved. Paste the public key instead, and replace this key pair.',
    keyUnfit:
      'One of these keys is not suitable: use RSA of at least 2048 bits, P-256 or Ed25519, with the matching algorithm.',
  },
  faultsInDevelopment: {
    uriNotAbsolute: 'it is not a full URL, such as http://localhost:3000/goodbye.',
    backchannelInvalid: 'Enter a full URL that starts with https:// or http://, without a fragment.',
  },
  tile: 'Protocol',
};
