// An MCP test server built with the official SDK. Its tools return the access token's claims.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { NewApi } from '../../src/store/apis.ts';
import { createApiWithSecret, introspect, type TestApi } from '../support/apis.ts';
import type { TestService } from '../support/service.ts';

export interface McpTestServer {
  /** URL of the MCP server, which is also its API identifier. */
  url: URL;
  api: TestApi;
  close(): Promise<void>;
}

/** The type of an Express request, declared here because Express's types aren't installed. */
type McpRequest = IncomingMessage & {
  auth?: AuthInfo;
  body?: { method?: string; params?: { name?: string } };
};

const TOOL_SCOPES = { whoami: ['read'], publish: ['read', 'write'] };
/**
 * Scopes in the first 401 response. Version 1 of the SDK's client requests only these scopes, so the list
 * includes `offline_access`.
 */
const INITIAL_SCOPES = ['read', 'offline_access'];

/**
 * Starts the server and registers its API.
 * @param fields fields of the API
 * @param hidesScopes whether the first challenge and the resource metadata omit the scopes
 */
export async function startMcpTestServer(
  service: TestService,
  fields: Partial<NewApi> = {},
  { hidesScopes = false } = {},
): Promise<McpTestServer> {
  const app = createMcpExpressApp();
  const http: Server = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://localhost:${(http.address() as AddressInfo).port}/mcp`);
  const api = await createApiWithSecret(service, { identifier: url.href, ...fields });

  const verifier = { verifyAccessToken: (token: string) => verifyToken(service, api, token) };
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
  const discovered = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);
  const oauthMetadata = (await discovered.json()) as OAuthMetadata;
  app.use(
    mcpAuthMetadataRouter({
      oauthMetadata,
      resourceServerUrl: url,
      ...(!hidesScopes && { scopesSupported: ['read', 'write'] }),
    }),
  );
  // The first challenge lists the scopes to request. Later challenges list the scopes that the call requires.
  app.use('/mcp', (request: McpRequest, response: ServerResponse, next: () => void) => {
    const firstChallenge = hidesScopes ? [] : INITIAL_SCOPES;
    const laterChallenge = api.scopes.length === 0 ? [] : TOOL_SCOPES.whoami;
    const defaultScopes = request.headers.authorization === undefined ? firstChallenge : laterChallenge;
    const name = request.body?.method === 'tools/call' ? request.body.params?.name : undefined;
    const requiredScopes = name === 'publish' ? TOOL_SCOPES.publish : defaultScopes;
    requireBearerAuth({ verifier, requiredScopes, resourceMetadataUrl })(request, response, next);
  });
  app.post('/mcp', async (request: McpRequest, response: ServerResponse) => {
    const server = createMcpServer();
    const transport = new StreamableHTTPServerTransport();
    response.on('close', () => Promise.all([transport.close(), server.close()]));
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', (_: McpRequest, response: ServerResponse) => response.writeHead(405).end());
  return {
    url,
    api,
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

/** Verifies the token with the service's JWKS and clock and then introspects it. */
async function verifyToken(service: TestService, api: TestApi, token: string): Promise<AuthInfo> {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl));
  const checks = {
    issuer: service.baseUrl,
    audience: api.identifier,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    currentDate: service.clock.now(),
  };
  const { payload } = await jwtVerify(token, keys, checks).catch((error: Error) => {
    throw new InvalidTokenError(error.message);
  });
  const { body } = await introspect(service, api, token);
  if (body.active !== true) throw new InvalidTokenError('The token is not active.');
  const scopes = String(payload.scope ?? '').split(' ');
  return { token, clientId: String(payload.client_id), scopes, expiresAt: payload.exp ?? 0, extra: payload };
}

function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  for (const name of Object.keys(TOOL_SCOPES))
    server.registerTool(name, { description: name }, async ({ authInfo }) => ({
      content: [{ type: 'text', text: JSON.stringify(authInfo?.extra) }],
    }));
  return server;
}
