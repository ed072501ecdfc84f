// Owns the English texts of: the code that an API copies to check access tokens.

import type { Messages } from '../fr.ts';

export const apiIntegrate: Messages['apiIntegrate'] = {
  part: 'Protect',
  title: (api) => `Protect ${api}`,
  lead: 'Three things let a program find out by itself how to get a token for your API, and keep out everyone who has none: a document that says who issues the tokens, a 401 response that leads to it, and a check of every token. All of it is filled in with this API’s identifier.',
  noScopes:
    'This API has no scopes, so its tokens carry none. The code is filled in with the scope `read` as an example: remove its checks of the scope, or add one.',
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
      about: 'The document, the refusal that leads to it, and the check.',
    },
    'api-mcp': {
      title: 'MCP server, with the TypeScript SDK',
      about: 'A complete MCP server, stateless, with one tool.',
    },
    'api-mcp-python': {
      title: 'MCP server, with the Python SDK',
      about: 'A complete MCP server, stateless, with one tool.',
    },
    'api-python': {
      title: 'API in Python, with Authlib and Flask',
      about: 'Authlib checks the token; `protected` asks for the scope, call by call.',
    },
    'api-go': {
      title: 'API in Go, with go-oidc',
      about: 'go-oidc verifies the token; its type is checked separately.',
    },
    'api-spring': {
      title: 'API in Spring',
      about: 'Without these lines Spring refuses our tokens: ES256, type `at+jwt`.',
    },
    introspect: {
      title: 'Introspection (RFC 7662), with curl',
      about: 'You learn of a revocation at once. Your API needs a secret for this.',
    },
  },
  secrets: 'Create a secret',

  documentTitle: 'The document your API serves',
  documentText:
    'Programs read it to learn where the person gives their consent (RFC 9728). Serve it as `application/json`, without authentication, at exactly this address:',
  documentAddress: 'Address of the document',
  documentName: 'Document',
  challengeTitle: 'What your API returns when it refuses a call',
  challengeText:
    'Without a token, or with one that is refused, answer 401 with this header; where only a scope is missing, answer 403 with the second one, which names it: programs then ask the person for it.',
  challengeMissing: 'Header of a 401 response',
  challengeScope: 'Header of a 403 response',

  checksTitle: 'What your code checks',
  checks: (lifetime) => [
    'signature: `ES256`, by our published keys, never by an algorithm that the token chooses',
    '`typ`: `at+jwt`, or an `id_token` would pass for an access token',
    '`iss`: our address, character by character',
    '`aud`: this API’s identifier, character by character',
    `\`exp\`: a token lives for ${lifetime}`,
    '`scope`: the scope that this call needs',
  ],

  facts: 'What your code needs to know',
  identifier: 'API identifier (aud)',
  issuer: 'Issuer (iss)',
  keys: 'Published keys',
  metadata: 'Our metadata',
  introspection: 'Introspection',
};
