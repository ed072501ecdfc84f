// A browser without a screen: keeps cookies, follows nothing by itself, reads and submits the forms of a page.
import { plain } from './markup.ts';
import { type Request, sendRequest } from './send-request.ts';

export interface Visit {
  status: number;
  headers: Headers;
  /** Where a redirect leads, absolute; undefined when the answer is none. */
  location: URL | undefined;
  body: string;
  /** Hidden inputs of the page's forms by name. */
  hidden: Record<string, string>;
}

export interface BrowserSession {
  cookies: Map<string, string>;
  get(address: string | URL, headers?: Record<string, string>): Promise<Visit>;
  post(
    address: string | URL,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Visit>;
  /** Sends any request with the cookies of this browser. A form that was refused is followed to the page that says why. */
  send(address: string | URL, init: Request): Promise<Visit>;
  /** Follows redirects within the service until a page or another origin comes. */
  follow(visit: Visit): Promise<Visit>;
}

/** @param defaults headers of every request */
export function openBrowserSession(baseUrl: string, defaults: Record<string, string> = {}): BrowserSession {
  const cookies = new Map<string, string>();

  const send = async (address: string | URL, init: Request): Promise<Visit> => {
    const visit = await sendOnce(address, init);
    return isRefused(visit, new URL(address, baseUrl))
      ? sendOnce(visit.location as URL, { headers: init.headers ?? {} })
      : visit;
  };

  const sendOnce = async (address: string | URL, init: Request): Promise<Visit> => {
    const url = new URL(address, baseUrl);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers, text } = await sendRequest(url, {
      ...init,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        'accept-language': 'en',
        ...(cookie !== '' && { cookie }),
        ...defaults,
        ...init.headers,
      },
    });
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = headers.get('location');
    return {
      status,
      headers,
      location: location === null ? undefined : new URL(location, url),
      body: text,
      hidden: hiddenInputs(text),
    };
  };

  const browser: BrowserSession = {
    cookies,
    send,
    get: (address, headers = {}) => send(address, { headers }),
    post: (address, fields, headers = {}) =>
      send(address, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      }),
    follow: async (visit) => {
      let current = visit;
      while (current.location !== undefined && current.location.origin === new URL(baseUrl).origin)
        current = await browser.get(current.location);
      return current;
    },
  };
  return browser;
}

/** A refused form leads back to its page with a flash cookie, as does one that makes a secret or comes too late elsewhere. */
const isRefused = ({ location, headers }: Visit, sent: URL): boolean =>
  location !== undefined &&
  headers.getSetCookie().some((line) => /^(__Host-)?sesame-flash[\w-]*=[^;]/.test(line)) &&
  (location.pathname === sent.pathname ||
    !/\/(secrets\/\d+|security\/codes)$|^\/(signin|accounts)$/.test(location.pathname));

function hiddenInputs(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, plain(value)]));
}
