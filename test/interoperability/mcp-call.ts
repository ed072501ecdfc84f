// Calls the tool in an MCP server snippet and reads the tool's result.
import type { ApiSnippetTest } from './api-checks.ts';

const TOOL_CALL = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'whoami', arguments: {} },
};

export const MCP_CALL = {
  call: (url, headers) =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(TOOL_CALL),
    }),
  async read(response) {
    const [, message = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    return JSON.parse(JSON.parse(message).result.content[0].text);
  },
} satisfies Pick<ApiSnippetTest, 'call' | 'read'>;
