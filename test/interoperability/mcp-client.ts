// What surrounds the MCP SDK's client in a program: it keeps what the SDK gives it, and has the person look at an address.
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { BrowserSession } from '../support/browser-session.ts';
import { sendFields } from '../support/console.ts';
import { goThrough } from '../support/flow.ts';

export const CALLBACK = 'http://localhost:33418/callback';

/** A program that uses an MCP server, and the person in front of it. */
export interface McpProgram {
  /** What the SDK has stored, as a program would on disk. */
  kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens };
  /** Where the person was sent, in order. */
  visited: URL[];
  /** Connects, and signs the person in where that is asked. @returns the claims of the token that the server was brought */
  call(tool: string): Promise<Record<string, unknown>>;
  /** The same without the person. @throws UnauthorizedError when only they could help */
  callAlone(tool: string): Promise<Record<string, unknown>>;
}

/**
 * @param known the Client ID where the program has one
 * @param ticks what the person ticks of what is on offer, where the program asks for nothing in particular
 * @param clientMetadataUrl the address of its document where it has one
 */
export function openProgram(
  url: URL,
  browser: BrowserSession,
  {
    known,
    clientMetadataUrl,
    ticks,
  }: { known?: OAuthClientInformationMixed; clientMetadataUrl?: string; ticks?: string[] },
): McpProgram {
  const kept: McpProgram['kept'] = known === undefined ? {} : { client: known };
  const visited: URL[] = [];
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'state-of-the-program',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address) => {
      visited.push(address);
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    invalidateCredentials: (scope) => {
      if (scope === 'tokens' || scope === 'all') delete kept.tokens;
    },
  };

  async function agreed(address: URL): Promise<URL> {
    if (ticks === undefined) return goThrough(browser, address);
    const { hidden } = await browser.follow(await browser.get(address));
    const { location } = await sendFields(browser, '/consent', {
      ...hidden,
      decision: 'allow',
      scope: ticks,
    });
    if (location === undefined) throw new Error('no callback');
    return location;
  }

  async function attempt(transport: StreamableHTTPClientTransport, tool: string) {
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
    kept,
    visited,
    callAlone: (tool) => attempt(newTransport(), tool),
    call: async (tool) => {
      const transport = newTransport();
      const before = visited.length;
      const claims = await attempt(transport, tool).catch((error: unknown) => {
        if (visited.length === before) throw error;
        return undefined;
      });
      if (claims !== undefined) return claims;
      const answer = await agreed(visited.at(-1) as URL);
      const code = answer.searchParams.get('code');
      if (code === null) throw new Error(`no code: ${answer}`);
      await transport.finishAuth(code);
      return attempt(newTransport(), tool);
    },
  };
}
