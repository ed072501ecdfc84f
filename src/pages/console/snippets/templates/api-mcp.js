// An MCP server that requires access tokens.
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = '{{issuer}}';
const api = '{{audience}}';
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

const verifier = {
  /** Returns the claims of an access token for this API. A request with any other token gets a 401 response. */
  async verifyAccessToken(token) {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: api,
      // Rejects id_tokens (RFC 9068 §4).
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['exp', 'sub', 'client_id'],
    }).catch((error) => {
      throw new InvalidTokenError(error.message);
    });
    const { sub, client_id: clientId, scope = '', exp: expiresAt } = payload;
    return { token, clientId, scopes: scope.split(' '), expiresAt, extra: { sub } };
  },
};

function mcpServer() {
  const server = new McpServer({ name: 'my-server', version: '1.0.0' });
  // Add your tools here. authInfo identifies the user and the client for which a tool runs.
  server.registerTool('whoami', { description: 'Returns the current user.' }, ({ authInfo }) => {
    const identity = { sub: authInfo.extra.sub, client_id: authInfo.clientId, scopes: authInfo.scopes };
    return { content: [{ type: 'text', text: JSON.stringify(identity) }] };
  });
  return server;
}

const app = createMcpExpressApp({ allowedHosts: ['{{apiHost}}', 'localhost'] });
// Protected resource metadata, which names the issuer of tokens for this API (RFC 9728).
app.get('{{metadataPath}}', (_request, response) => {
  const document = {
    resource: api,
    authorization_servers: [issuer],
    scopes_supported: '{{scopes}}'.split(' '),
  };
  response.set('access-control-allow-origin', '*').json(document);
});
app.use(
  requireBearerAuth({ verifier, requiredScopes: ['{{scope}}'], resourceMetadataUrl: '{{metadataAddress}}' }),
);
app.post('{{apiPath}}', async (request, response) => {
  const [server, transport] = [mcpServer(), new StreamableHTTPServerTransport()];
  response.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all('{{apiPath}}', (_request, response) => response.sendStatus(405));
app.listen(process.env.PORT ?? '{{apiPort}}');
