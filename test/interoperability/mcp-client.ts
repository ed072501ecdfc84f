// An MCP host for tests. It uses the SDK's client, stores tokens and opens the user's browser.
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { BrowserSession } from '../support/browser-session.ts';
import { postFields } from '../support/console-forms.ts';
import { completeAuthorization } from '../support/oauth-flow.ts';

export const CALLBACK_URL = 'http://localhost:33418/callback';

/** An MCP host application, such as an editor, and its user. */
export interface McpHost {
  /** Data that the SDK asked the host to store. */
  stored: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens };
  /** Authorization URLs that the user opened, oldest first. */
  visited: URL[];
  /** Calls a tool and signs the user in if required. Returns the claims of the access token. */
  call(tool: string): Promise<Record<string, unknown>>;
  /**
   * Calls a tool without user interaction.
   * @throws UnauthorizedError if the user must sign in
   */
  callWithoutUser(tool: string): Promise<Record<string, unknown>>;
}

/**
 * @param registered client ID of a registered client
 * @param scopes scopes to select when the host requests none
 * @param clientMetadataUrl URL of the host's metadata document (CIMD)
 */
export function createMcpHost(
  url: URL,
  browser: BrowserSession,
  {
    registered,
    clientMetadataUrl,
    scopes,
  }: { registered?: OAuthClientInformationMixed; clientMetadataUrl?: string; scopes?: string[] },
): McpHost {
  const stored: McpHost['stored'] = registered === undefined ? {} : { client: registered };
  const visited: URL[] = [];
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK_URL,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Assistant',
      redirect_uris: [CALLBACK_URL],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'state-of-the-host',
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client;
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      visited.push(url);
    },
    saveCodeVerifier: (codeVerifier) => {
      verifier = codeVerifier;
    },
    codeVerifier: () => verifier,
    invalidateCredentials: (scope) => {
      if (scope === 'tokens' || scope === 'all') delete stored.tokens;
    },
  };

  async function authorize(url: URL): Promise<URL> {
    if (scopes === undefined) return completeAuthorization(browser, url);
    const { hidden } = await browser.follow(await browser.get(url));
    const { location } = await postFields(browser, '/consent', {
      ...hidden,
      decision: 'allow',
      scope: scopes,
    });
    if (location === undefined) throw new Error('The consent form did not redirect.');
    return location;
  }

  async function callTool(transport: StreamableHTTPClientTransport, tool: string) {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    try {
      await client.connect(transport as Transport);
      const { content } = await client.callTool({ name: tool });
      const [{ text = '{}' } = {}] = content as { text?: string }[];
      return JSON.parse(text) as Record<string, unknown>;
    } finally {
      await client.close();
    }
  }
  const newTransport = () => new StreamableHTTPClientTransport(url, { authProvider: provider });
  return {
    stored,
    visited,
    callWithoutUser: (tool) => callTool(newTransport(), tool),
    call: async (tool) => {
      const transport = newTransport();
      const visitsBefore = visited.length;
      const claims = await callTool(transport, tool).catch((error: unknown) => {
        if (visited.length === visitsBefore) throw error;
        return undefined;
      });
      if (claims !== undefined) return claims;
      const callback = await authorize(visited.at(-1) as URL);
      const code = callback.searchParams.get('code');
      if (code === null) throw new Error(`The callback contains no code: ${callback}`);
      await transport.finishAuth(code);
      return callTool(newTransport(), tool);
    },
  };
}
