// HTTP client with cookies, hidden form fields and redirects.
import { unescapeHtml } from './markup.ts';
import { type RequestOptions, sendRequest } from './send-request.ts';

export interface Visit {
  status: number;
  headers: Headers;
  location: URL | undefined;
  body: string;
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
  /** If a form is rejected, also opens the page with its errors. */
  send(address: string | URL, init: RequestOptions): Promise<Visit>;
  follow(visit: Visit): Promise<Visit>;
}

export function openBrowserSession(baseUrl: string, defaults: Record<string, string> = {}): BrowserSession {
  const cookies = new Map<string, string>();

  const send = async (url: string | URL, init: RequestOptions): Promise<Visit> => {
    const visit = await sendOnce(url, init);
    return isRejectedForm(visit, new URL(url, baseUrl))
      ? sendOnce(visit.location as URL, { headers: init.headers ?? {} })
      : visit;
  };

  const sendOnce = async (target: string | URL, init: RequestOptions): Promise<Visit> => {
    const url = new URL(target, baseUrl);
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
      hidden: readHiddenInputs(text),
    };
  };

  const browser: BrowserSession = {
    cookies,
    send,
    get: (url, headers = {}) => send(url, { headers }),
    post: (url, fields, headers = {}) =>
      send(url, {
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

/** When the service rejects a form, it sets a flash cookie and redirects to the form's page. */
const isRejectedForm = ({ location, headers }: Visit, sent: URL): boolean =>
  location !== undefined &&
  headers.getSetCookie().some((line) => /^(__Host-)?sesame-flash[\w-]*=[^;]/.test(line)) &&
  (location.pathname === sent.pathname ||
    !/\/(secrets\/\d+|security\/codes|try-it\/result)$|^\/(signin|accounts)$/.test(location.pathname));

function readHiddenInputs(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
}
