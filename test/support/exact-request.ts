// A request with exactly the given headers and cookies: for what a well-behaved browser would never send.

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
  init: {
    method?: string;
    body?: string | FormData | URLSearchParams;
    headers?: Record<string, string>;
    cookies?: ReadonlyMap<string, string>;
  } = {},
): Promise<ExactAnswer> {
  const { cookies = new Map(), headers = {}, ...rest } = init;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(address, {
    ...rest,
    redirect: 'manual',
    headers: { ...(cookie !== '' && { cookie }), ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location'),
    body: await response.text(),
    setCookies: new Map(
      response.headers.getSetCookie().map((line) => [line.slice(0, line.indexOf('=')), line]),
    ),
  };
}

/** The value in a Set-Cookie line. */
export const cookieValue = (line: string | undefined): string => /^[^=]+=([^;]*)/.exec(line ?? '')?.[1] ?? '';
