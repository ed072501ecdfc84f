// English: an API’s “Protect” page, with code that verifies access tokens.

import type { Messages } from '../fr.ts';

export const apiIntegrate: Messages['apiIntegrate'] = {
  part: 'Integrate',
  title: (api) => `Protect ${api}`,
  lead: 'Serve a metadata document that names the token issuer, refer to it in 401 responses, and verify every token.',
  noScopes: 'This API has no scopes, so its tokens contain none.',
  noScopesInCode: 'The code uses the scope `read` as an example: remove the scope check, or add a scope.',
  addScope: 'Add a scope',

  libraries: 'Language or library',
  tabs: {
    'api-node': 'Node',
    'api-mcp': 'MCP server',
    'api-mcp-python': 'MCP server in Python',
    'api-python': 'Python',
    'api-go': 'Go',
    'api-spring': 'Spring',
    introspect: 'Introspection',
  },
  snippets: {
    'api-node': {
      title: 'API in Node, with jose',
      about: 'The metadata document, the 401 response and token verification.',
    },
    'api-mcp': {
      title: 'MCP server, with the TypeScript SDK',
      about: 'A complete, stateless MCP server with one tool.',
    },
    'api-mcp-python': {
      title: 'MCP server, with the Python SDK',
      about: 'A complete, stateless MCP server with one tool.',
    },
    'api-python': {
      title: 'API in Python, with Authlib and Flask',
      about: 'Authlib verifies the token. `@protected` sets the scope that a route requires.',
    },
    'api-go': {
      title: 'API in Go, with go-oidc',
      about: 'go-oidc verifies the token, except its type, which this code checks.',
    },
    'api-spring': {
      title: 'API in Spring',
      about: 'Spring needs this code because it does not accept ES256 or type `at+jwt` by default.',
    },
    introspect: {
      title: 'Introspection (RFC 7662), with curl',
      about: 'Detects revoked tokens immediately. Your API needs a secret.',
    },
  },
  secrets: 'Create a secret',

  documentTitle: 'Metadata document',
  documentText:
    'Clients read it to find the authorization server (RFC 9728). Serve it as `application/json`, without authentication, at exactly the document URL above.',
  documentAddress: 'Document URL',
  documentName: 'Document',
  challengeTitle: 'Error responses',
  challengeText: 'If the token is missing or invalid, return 401 with this header.',
  challengeScopeText:
    'If the token is missing or invalid, return 401 with the first header. If only a scope is missing, return 403 with the second header, which names the scope. Clients then request it from the user.',
  challengeMissing: '401 response header',
  challengeScope: '403 response header',

  checksTitle: 'What your code must verify',
  checks: (lifetime) => [
    'signature: `ES256` with our published keys; ignore the algorithm that the token names',
    '`typ`: `at+jwt`, so that an `id_token` is not accepted as an access token',
    '`iss`: our issuer URL, exact match',
    '`aud`: this API’s identifier, exact match',
    `\`exp\`: in the future; a token is valid for ${lifetime}`,
    '`scope`: the scope that the call requires',
  ],

  identifier: 'API identifier (aud)',
  issuer: 'Issuer (iss)',
  keys: 'Public keys',
  metadata: 'Server metadata',
  introspection: 'Introspection',
};
