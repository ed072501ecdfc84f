// A toy MCP server, built with the official SDK: it takes access tokens of the service under test and says who brought them.
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
import { apiWithSecret, introspect, type TestApi } from '../support/apis.ts';
import type { TestService } from '../support/service.ts';

export interface ToyServer {
  /** Its address, which is the identifier of its API. */
  url: URL;
  api: TestApi;
  close(): Promise<void>;
}

/** What Express hands over, whose types are a package of their own. */
type Incoming = IncomingMessage & {
  auth?: AuthInfo;
  body?: { method?: string; params?: { name?: string } };
};

/** What a call needs: publishing asks for more than reading does. */
const NEEDED = { whoami: ['read'], publish: ['read', 'write'] };
/**
 * What is asked for at the first 401: a token that can be renewed, too. Servers should leave `offline_access` to their
 * clients, but version 1 of the SDK's client asks for nothing else than what it is told here.
 */
const FIRST = ['read', 'offline_access'];

/**
 * Registers its API, and starts it on a port of its own.
 * @param fields of the API
 * @param silent whether it names no scopes, neither at the first 401 nor in its document
 */
export async function startToyServer(
  service: TestService,
  fields: Partial<NewApi> = {},
  { silent = false } = {},
): Promise<ToyServer> {
  const app = createMcpExpressApp();
  const http: Server = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://localhost:${(http.address() as AddressInfo).port}/mcp`);
  const api = await apiWithSecret(service, { identifier: url.href, ...fields });

  const verifier = { verifyAccessToken: (token: string) => verified(service, api, token) };
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
  const discovered = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);
  const oauthMetadata = (await discovered.json()) as OAuthMetadata;
  app.use(
    mcpAuthMetadataRouter({
      oauthMetadata,
      resourceServerUrl: url,
      ...(!silent && { scopesSupported: ['read', 'write'] }),
    }),
  );
  // The challenge of the first answer names what is worth asking for; that of a later one what the call lacks.
  app.use('/mcp', (request: Incoming, response: ServerResponse, next: () => void) => {
    const first = silent ? [] : FIRST;
    const later = api.scopes.length === 0 ? [] : NEEDED.whoami;
    const challenged = request.headers.authorization === undefined ? first : later;
    const name = request.body?.method === 'tools/call' ? request.body.params?.name : undefined;
    const requiredScopes = name === 'publish' ? NEEDED.publish : challenged;
    requireBearerAuth({ verifier, requiredScopes, resourceMetadataUrl })(request, response, next);
  });
  app.post('/mcp', async (request: Incoming, response: ServerResponse) => {
    const server = toolsOf();
    const transport = new StreamableHTTPServerTransport();
    response.on('close', () => Promise.all([transport.close(), server.close()]));
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', (_: Incoming, response: ServerResponse) => response.writeHead(405).end());
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

/** By the published keys, on the clock of the service; and that it still counts, as the API is told. */
async function verified(service: TestService, api: TestApi, token: string): Promise<AuthInfo> {
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
  if (body.active !== true) throw new InvalidTokenError('it counts no longer');
  const scopes = String(payload.scope ?? '').split(' ');
  return { token, clientId: String(payload.client_id), scopes, expiresAt: payload.exp ?? 0, extra: payload };
}

function toolsOf(): McpServer {
  const server = new McpServer({ name: 'toy', version: '1.0.0' });
  for (const name of Object.keys(NEEDED))
    server.registerTool(name, { description: name }, async ({ authInfo }) => ({
      content: [{ type: 'text', text: JSON.stringify(authInfo?.extra) }],
    }));
  return server;
}
