// Sends requests that no browser would send. Doesn't parse the Location and Set-Cookie headers.
import { type RequestOptions, sendRequest } from './send-request.ts';

export interface ExactResponse {
  status: number;
  headers: Headers;
  location: string | null;
  body: string;
  setCookies: Map<string, string>;
}

export async function sendExactRequest(
  url: string | URL,
  init: RequestOptions & { cookies?: ReadonlyMap<string, string> } = {},
): Promise<ExactResponse> {
  const { cookies = new Map(), headers = {}, ...rest } = init;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await sendRequest(url, {
    ...rest,
    headers: { ...(cookie !== '' && { cookie }), ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location'),
    body: response.text,
    setCookies: new Map(
      response.headers.getSetCookie().map((line) => [line.slice(0, line.indexOf('=')), line]),
    ),
  };
}

export const readCookieValue = (line: string | undefined): string =>
  /^[^=]+=([^;]*)/.exec(line ?? '')?.[1] ?? '';
