// English: the page that tests the connection to an API.

import type { Messages } from '../fr.ts';

export const apiTest: Messages['apiTest'] = {
  part: 'Connection test',
  open: 'Test the connection',
  stepHint: 'Check that your API serves the document and rejects calls without a token.',
  mcpStepHint: 'Call your MCP server as an agent does, and see each step.',
  title: (api) => `Test the connection to ${api}`,
  lead: 'The test acts as an agent. It calls the MCP server without a token, follows the 401 response to this service and asks for your permission. It then calls the server with a token and revokes the token.',
  address: 'MCP server URL',
  addressHint: 'The URL that you would give to an agent.',
  action: 'Start the test',
  again: 'Start again',
  otherOrigin: 'Enter a URL with the same scheme, host and port as the API identifier.',
  tooMany: 'You have reached the limit of ten tests per hour. Try again in a few minutes.',

  result: 'Result',
  done: 'Everything works: with only this URL, an agent can get a token, and your server accepts it. The test token has been revoked.',
  doneWithoutAgents:
    'Your server works: it accepts a valid token and rejects other requests. But this service does not allow agents yet, so only registered applications can get tokens. The test token has been revoked.',
  passedSteps: (count) => `${count} ${count === 1 ? 'step' : 'steps'} passed`,
  failedAt: (step) => `The test failed at “${step}”.`,
  permissionNeeded:
    'All automatic checks passed. The test now requests your permission, as an agent would, and then calls your server on your behalf.',
  authorize: 'Continue to the consent page',
  states: { passed: 'passed', failed: 'failed', ahead: 'not run yet', skipped: 'skipped' },
  expected: 'Expected',
  seen: 'Received',
  remedy: 'What to do',

  steps: {
    reach: 'Server responds',
    challenge: '401 response links to the metadata document',
    document: 'Document is readable',
    resource: 'Document describes this API',
    server: 'Document names this service',
    identity: 'Agent is recognized',
    scopes: 'Scopes exist',
    authorization: 'Your permission',
    token: 'Token',
    call: 'First call',
  },

  remedies: {
    'not-https':
      'The URL must start with `https://`, because tokens must not be sent unencrypted. Set up HTTPS for your server.',
    'not-public':
      'This domain name does not exist or has no public IP address. This service and hosted agents cannot reach it. Check the name and its DNS records, or use a public URL.',
    refused: 'Connection refused. Check that the server is running, then check the port and the firewall.',
    timeout:
      'The server took more than five seconds to respond. Most agents do not wait longer. Return the 401 response and the document without delay.',
    'too-large':
      'The response is too large. The 401 response, the document and the first response should be a few lines each.',
    encoded:
      'The response is compressed although the request did not accept compression. Turn off compression for this URL.',
    failed: 'The connection failed. Check the certificate and the server’s logs.',
    redirect:
      'Redirects are not followed, because tokens must not reach another server. Enter the final URL, or respond at this one. Check the trailing slash.',
    open: 'The server accepts requests without a token. Require a valid token for every call, including the first one.',
    not401:
      'Return `401`, so that agents know they need a token. Check the path of the URL, and that the server checks the token before it processes the request.',
    noChallenge: 'Add the `WWW-Authenticate` header to the `401` response, as shown on the “Protect” page.',
    notBearer: 'The `WWW-Authenticate` header must use the `Bearer` scheme.',
    invalidUrl: 'The `resource_metadata` parameter must be the full URL of the document.',
    not200: 'Serve the document at this URL, without authentication. The “Protect” page shows its content.',
    notJson: 'The response is not a JSON object; it may be a web page. Serve the document as JSON.',
    otherResource:
      'Set `resource` to this API’s identifier, exactly as registered. If your server has moved, register an API for the new URL.',
    otherServer: 'Set `authorization_servers` to the issuer URL of this service, without a trailing slash.',
    blocked: 'This service blocks the test’s agent. Ask your administrator to unblock it.',
    later:
      'This service has reached its maximum number of agents. Try again later, or contact your administrator.',
    otherScopes:
      'The server requests scopes that agents cannot get for this API. Add them and make them available to agents, or correct `scope` in the header and `scopes_supported` in the document.',
    closed:
      'This API does not allow agents, and the test acts as one. Allow agents in the API’s settings, or test with your own application.',
    excluded: 'The test’s agent is blocked from accessing this API. Restore its access on the “Access” page.',
    suspended: 'This API is suspended, so no tokens are issued for it.',
    denied: 'You denied the request. Start again and select “Allow” to complete the test.',
    notAllowed: 'The authorization request was refused. See this API’s diagnostics for the reason.',
    noToken: 'The code could not be exchanged for a token. See this API’s diagnostics for the reason.',
    tokenRefused:
      'The server rejected a valid token. Compare its checks with the “Protect” page: `iss` and `aud` (exact match), `typ` (`at+jwt`), the algorithm (`ES256`) and the server’s clock.',
    scopeRefused:
      'The token has the requested scopes, but the server requires others. Name them in the `401` response header.',
    notMcp:
      'The server accepts the token, but does not respond to an `initialize` request the way an MCP server should. Check the path of the URL.',
  },
};
