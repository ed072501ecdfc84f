// Owns the English texts of: the connection tester.

import type { Messages } from '../fr.ts';

export const apiTest: Messages['apiTest'] = {
  part: 'Test',
  title: (api) => `Test the connection to ${api}`,
  lead: 'We do what an agent does when it meets an MCP server: call it without a token, follow the refusal to this service, ask you for your permission, call it with a token. The first step that fails is explained. The token is never shown, and is revoked at the end.',
  address: 'Address of the MCP server',
  addressHint: 'The one you would give to an agent.',
  action: 'Start the test',
  again: 'Start again',
  otherOrigin: 'Enter an address of this API’s server: the same scheme, host and port as its identifier.',
  tooMany: 'You have run ten tests within an hour, which is the most. Try again in a few minutes.',

  result: 'What we found',
  done: 'Everything works: an agent that knows this address alone gets a token, and your server lets it in. The token of the test is revoked.',
  doneWithoutAgents:
    'Your server works: it lets a good token in, and nothing else. But this service lets no agents in yet, so for now only registered applications get one. The token of the test is revoked.',
  allSteps: (count) => `The ${count} steps, all passed`,
  failedAt: (step) => `The test stops at the step “${step}”.`,
  goOn: 'Everything that can be checked without you is in order. An agent would ask you for your permission now: so does the test, and then calls your server in your name.',
  authorize: 'Continue to the consent page',
  states: { passed: 'passed', failed: 'failed', ahead: 'not run yet' },
  expected: 'Expected',
  seen: 'Received',
  remedy: 'What to do',

  steps: {
    reach: 'The server answers',
    challenge: 'The refusal says where to go',
    document: 'The document can be read',
    resource: 'The document is about this API',
    server: 'The document leads here',
    identity: 'The agent is known here',
    scopes: 'The scopes exist',
    authorization: 'Your permission',
    token: 'The token',
    call: 'The first call',
  },

  remedies: {
    'not-https':
      'The address has to begin with `https://`: a token does not travel in the clear. Put a certificate in front of your server.',
    'not-public':
      'This domain name does not exist, or its address is not public: this service does not call it, and a hosted agent would not find it either. Check the name and its DNS records, and test at a public address.',
    refused: 'No server is listening at this address. Start it, check the port and the firewall.',
    timeout:
      'The server took more than five seconds. Agents hardly wait longer: answer the refusal and the document without computing anything.',
    'too-large': 'The answer is too long. A refusal, this document or a first answer take a few lines.',
    encoded: 'The answer is compressed though that was not asked for: switch that off for this address.',
    failed: 'The connection failed. Check the certificate and what the server writes to its logs.',
    redirect:
      'No redirect is followed: a token must not go elsewhere. Give the final address, or answer at this one, without adding or removing a slash.',
    open: 'The server lets everyone in without a token. Check a token at each call, the first one included.',
    not401:
      'Only `401` tells an agent that it needs a token. Check the path of the address, and that the server refuses before it looks at the request.',
    noChallenge: 'Add the header `WWW-Authenticate` to the `401` response. The page “Protect” shows it.',
    notBearer: 'The header has to offer `Bearer`, the word by which a token is asked for.',
    badAddress: 'The parameter `resource_metadata` has to be a complete URL, that of the document.',
    not200: 'Serve the document at this address, without authentication. The page “Protect” shows it.',
    notJson: 'Serve a JSON object: the address answers something else, perhaps a page.',
    otherResource:
      'Write this API’s identifier into `resource`, character by character; or, if your server has moved, register an API for the new address.',
    otherServer:
      'Write the address of this service into `authorization_servers`, without a slash at the end. Another service would give other tokens.',
    blocked: 'The people who run this service have blocked this test’s agent. Ask them to let it in again.',
    later: 'This service knows as many agents as it may. Try again later, or tell the people who run it.',
    otherScopes:
      'The server asks for scopes that this API does not have, or does not open to agents. Add them to the API, open them, or correct `scope` in the header and `scopes_supported` in the document.',
    closed:
      'This API is not open to agents, and this test is one. Open it in its settings; or try with your own application.',
    excluded: 'This test’s agent has been cut off from the API. Let it in again, on the page “Access”.',
    suspended: 'The API is suspended: no token is given for it.',
    denied: 'You refused. To get to the end of the test, start again and choose “Allow”.',
    notAllowed: 'The permission was refused. The reason is in this API’s diagnostics.',
    noToken: 'The code gave no token. The reason is in this API’s diagnostics.',
    tokenRefused:
      'The server refuses a good token. Compare what it checks with the page “Protect”: `iss`, `aud` character by character, `typ` `at+jwt`, `ES256`, its clock.',
    scopeRefused:
      'The token has the scopes that were asked for, and the server wants others. Name them in the header of the `401` refusal.',
    notMcp:
      'The server takes the token, but does not answer a `POST` of `initialize` as an MCP server does. Check the path of the address.',
  },
};
