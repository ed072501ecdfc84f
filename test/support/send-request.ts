// A request and its whole answer. What fetch does beside, tests do not need: it takes twice the CPU.
import { type Dispatcher, request } from 'undici';

export interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | FormData | URLSearchParams;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** What fetch says of itself, and what the service may look at. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** Sends a request as fetch would, on a connection that is kept; redirects are not followed. */
export async function sendRequest(
  address: string | URL,
  { method = 'GET', headers, body }: Request = {},
): Promise<Answer> {
  const [content, type] = await contentOf(body);
  const answer = await request(address, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...USUAL, ...(type !== undefined && { 'content-type': type }), ...headers },
    body: content,
  });
  const received = new Headers();
  for (const [name, values] of Object.entries(answer.headers))
    for (const value of [values ?? []].flat()) received.append(name, value);
  return { status: answer.statusCode, headers: received, text: await answer.body.text() };
}

async function contentOf(body: Request['body']): Promise<[string | Buffer | null, type?: string]> {
  if (body instanceof URLSearchParams)
    return [body.toString(), 'application/x-www-form-urlencoded;charset=UTF-8'];
  if (body instanceof FormData) {
    const whole = new Response(body);
    return [Buffer.from(await whole.arrayBuffer()), whole.headers.get('content-type') ?? ''];
  }
  return typeof body === 'string' ? [body, 'text/plain;charset=UTF-8'] : [body ?? null];
}
