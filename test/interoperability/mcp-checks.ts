// How a copied MCP server is called, and what its tool says of the token.
import type { ApiTrial } from './api-checks.ts';

const call = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'whoami', arguments: {} },
};

/** The part of a trial that every MCP server shares. */
export const MCP = {
  call: (address, headers) =>
    fetch(address, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(call),
    }),
  async read(response) {
    const [, message = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    return JSON.parse(JSON.parse(message).result.content[0].text);
  },
} satisfies Pick<ApiTrial, 'call' | 'read'>;
