// A request with exactly the given headers and cookies: for what a well-behaved browser would never send.
import { type Request, sendRequest } from './send-request.ts';

export interface ExactAnswer {
  status: number;
  headers: Headers;
  /** The Location header as it was sent, byte for byte. */
  location: string | null;
  body: string;
  /** Cookies that the answer sets: name to the whole line. */
  setCookies: Map<string, string>;
}

/** Sends a request; `cookies` are a browser session's, left out unless given. */
export async function sendExactly(
  address: string | URL,
  init: Request & { cookies?: ReadonlyMap<string, string> } = {},
): Promise<ExactAnswer> {
  const { cookies = new Map(), headers = {}, ...rest } = init;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await sendRequest(address, {
    ...rest,
    headers: { ...(cookie !== '' && { cookie }), ...headers },
  });
  return {
    status: answer.status,
    headers: answer.headers,
    location: answer.headers.get('location'),
    body: answer.text,
    setCookies: new Map(
      answer.headers.getSetCookie().map((line) => [line.slice(0, line.indexOf('=')), line]),
    ),
  };
}

/** The value in a Set-Cookie line. */
export const cookieValue = (line: string | undefined): string => /^[^=]+=([^;]*)/.exec(line ?? '')?.[1] ?? '';
