// Hostile inputs: long values, bodies, queries and headers that are cheap to send and may be expensive to read.

/** The largest form that is read, and the longest header block that Node's parser accepts, in bytes. */
const BODY = 64 * 1024 - 512;
const HEAD = 15_000;

const encodedSize = (text: string): number => encodeURIComponent(text).length;

const filled = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / encodedSize(unit)));

/** Values of one field. @param bytes the size of the value once it is percent-encoded */
const VALUES: Record<string, (bytes: number) => string> = {
  'combining marks': (bytes) => `a${filled('\u0301', bytes / 2)}${filled('\u0316', bytes / 2)}`,
  lines: (bytes) => filled('a\n', bytes),
  'lines of URLs': (bytes) => linesOfUrls(bytes),
  spaces: (bytes) => `a${filled(' ', bytes - 2)}b`,
  words: (bytes) => filled('a ', bytes),
  'deep JSON': (bytes) => filled('[', bytes / 2) + filled(']', bytes / 2),
  'deep objects': (bytes) => filled('{"a":', bytes),
  'one letter': (bytes) => filled('a', bytes),
  digits: (bytes) => filled('1', bytes),
  dashes: (bytes) => filled('-', bytes),
  dots: (bytes) => filled('a.', bytes),
  'at signs': (bytes) => `a${filled('@a', bytes)}`,
  slashes: (bytes) => `https://a.example/${filled('a/', bytes - 30)}`,
  emoji: (bytes) => filled('👩‍👩‍👧‍👦', bytes),
  'right-to-left marks': (bytes) => filled('\u202e', bytes),
  markup: (bytes) => filled('<a href="', bytes),
  quotes: (bytes) => filled('"\\', bytes),
};

/** Distinct ones. */
function linesOfUrls(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0; ; ) {
    const line = `https://a${lines.length}.b/\n`;
    size += encodedSize(line);
    if (size > bytes) return lines.join('');
    lines.push(line);
  }
}

/** Bodies and queries as a whole. */
const TEXTS: Record<string, (bytes: number) => string> = {
  'distinct and repeated names': (bytes) => {
    let text = '';
    for (let index = 0; text.length < bytes / 2; index += 1) text += `${index.toString(36)}&`;
    return text + 'a&'.repeat((bytes - text.length) / 2);
  },
  'undecodable escapes': (bytes) => '%&'.repeat(bytes / 2),
  'undecodable values': (bytes) => 'a=%ff&'.repeat(bytes / 6),
  'many resources': (bytes) => {
    let text = '';
    for (let index = 0; text.length < bytes - 40; index += 1) text += `resource=https://a${index}.b&`;
    return text;
  },
  'one long escape': (bytes) => `a=${'%C3%A9'.repeat(bytes / 6 - 1)}%`,
  separators: (bytes) => '&'.repeat(bytes),
};

/** Headers; each value has to be ASCII. */
const HEADERS: Record<string, Record<string, string>> = {
  'user agent of versions': { 'user-agent': `Mozilla/5.0 ${'Version/1 '.repeat(HEAD / 10)}` },
  'user agent of digits': { 'user-agent': `Mozilla/5.0 Version/${'1.'.repeat(HEAD / 2)}` },
  'undecodable cookies': { cookie: 'a=%;'.repeat(HEAD / 4) },
  'cookies of ours': { cookie: cookiesOfOurs('__Host-sesame-browser-') },
  'one long cookie': { cookie: `__Host-sesame-others=${'A.'.repeat(HEAD / 2)}` },
  'separators of cookies': { cookie: ';'.repeat(HEAD) },
  'accepted languages': { 'accept-language': 'a;q=0.1,'.repeat(HEAD / 8) },
  'accepted types': { accept: `text/html,${'text/htm,'.repeat(HEAD / 9)}` },
  'content type': { 'content-type': `application/x-www-form-urlencoded${' '.repeat(HEAD)}x` },
  'content type of parameters': {
    'content-type': `application/x-www-form-urlencoded${'; a=b'.repeat(HEAD / 5)}`,
  },
  'multipart boundary': { 'content-type': `multipart/form-data; boundary=${'-'.repeat(HEAD)}` },
  'bearer token': { authorization: `Bearer ${'a.'.repeat(HEAD / 2)}` },
  'basic credentials': {
    authorization: `Basic ${Buffer.from('%'.repeat((HEAD * 3) / 4 - 10)).toString('base64')}`,
  },
  'spaces in credentials': { authorization: `Basic${' '.repeat(HEAD)}x` },
  forwarded: { 'x-forwarded-for': '1.2.3.4, '.repeat(HEAD / 9), 'x-forwarded-proto': 'https' },
  'entity tags': { 'if-none-match': '"a",'.repeat(HEAD / 4) },
  'preflight headers': { 'access-control-request-headers': 'a, '.repeat(HEAD / 3) },
  purposes: { 'sec-purpose': 'prefetc '.repeat(HEAD / 8) },
};

function cookiesOfOurs(prefix: string): string {
  let text = '';
  for (let index = 0; text.length < HEAD - 70; index += 1)
    text += `${prefix}${index.toString(36)}=${'A'.repeat(43)}; `;
  return text.slice(0, -2);
}

export interface HostileInput {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface Form {
  /** `get` or `post`. */
  method: string;
  path: string;
  fields: Record<string, string>;
  /** Fields that a person types, or that are sealed by the service. */
  replaced: string[];
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A form with each of its fields replaced in turn, and with noise after its fields. */
export function* hostileForms(
  { path, fields, replaced }: Omit<Form, 'method'>,
  headers: Record<string, string>,
) {
  const send = (name: string, body: string): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { ...FORM, ...headers },
    body,
  });
  const good = new URLSearchParams(fields).toString();
  for (const field of replaced) {
    const others = new URLSearchParams(fields);
    others.delete(field);
    const rest = others.toString();
    for (const [name, value] of Object.entries(VALUES))
      yield send(
        `${field}: ${name}`,
        `${rest}&${field}=${encodeURIComponent(value(BODY - rest.length - field.length - 2))}`,
      );
  }
  for (const [name, text] of Object.entries(TEXTS)) {
    yield send(name, text(BODY));
    yield send(`${name} after good fields`, `${good}&${text(BODY - good.length - 1)}`);
  }
}

/** A GET with hostile queries. @param parameters those that the endpoint reads */
export function* hostileQueries(
  path: string,
  parameters: Record<string, string>,
  headers: Record<string, string>,
) {
  const send = (name: string, query: string): HostileInput => ({
    name,
    method: 'GET',
    path: `${path}?${query}`,
    headers,
  });
  for (const [name, text] of Object.entries(TEXTS)) yield send(name, text(HEAD));
  for (const field of Object.keys(parameters)) {
    const others = new URLSearchParams(parameters);
    others.delete(field);
    const rest = others.toString();
    for (const [name, value] of Object.entries(VALUES))
      yield send(
        `${field}: ${name}`,
        `${rest}&${field}=${encodeURIComponent(value(HEAD - rest.length - field.length - 2))}`,
      );
  }
}

/** One request with each hostile header. */
export function* hostileHeaders(path: string, headers: Record<string, string>): Generator<HostileInput> {
  for (const [name, hostile] of Object.entries(HEADERS)) {
    const method = 'content-type' in hostile ? 'POST' : 'GET';
    yield {
      name: `header: ${name}`,
      method,
      path,
      headers: { ...headers, ...hostile },
      ...(method === 'POST' && { body: 'a=b' }),
    };
  }
}

/** Metadata of a client that registers itself. */
export function* hostileMetadata(path: string): Generator<HostileInput> {
  const send = (name: string, body: string): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body,
  });
  const good = { client_name: 'Agent', redirect_uris: ['https://agent.example/callback'] };
  const uris = Array.from({ length: 3000 }, (_, index) => `https://a${index}.b/`);
  yield send('deep JSON', '['.repeat(BODY / 2) + ']'.repeat(BODY / 2));
  yield send('deep objects', '{"a":'.repeat(BODY / 5));
  yield send('many members', `{${Array.from({ length: 8000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`);
  yield send('many redirect URIs', JSON.stringify({ ...good, redirect_uris: uris }).slice(0, BODY));
  for (const [name, value] of Object.entries(VALUES)) {
    const text = value(BODY - 200).slice(0, 20_000);
    yield send(`client_name: ${name}`, JSON.stringify({ ...good, client_name: text }));
    yield send(`redirect_uris: ${name}`, JSON.stringify({ ...good, redirect_uris: [text] }));
    yield send(
      `token_endpoint_auth_method: ${name}`,
      JSON.stringify({ ...good, token_endpoint_auth_method: text }),
    );
  }
}

/** Bodies where none is expected. */
export function* hostileOptions(path: string): Generator<HostileInput> {
  for (const [name, text] of Object.entries(TEXTS))
    for (const method of ['OPTIONS', 'GET'])
      yield { name: `${method} with a body: ${name}`, method, path, headers: FORM, body: text(BODY) };
}

/** A form with files whose text fields are hostile. */
export function* hostileUploads(
  path: string,
  csrf: string,
  headers: Record<string, string>,
  files: Record<string, Buffer>,
) {
  const boundary = 'hostile';
  const part = (name: string, content: string, file = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  const send = (name: string, body: Buffer): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body,
  });
  const end = `--${boundary}--\r\n`;
  for (const [name, value] of Object.entries(VALUES))
    yield send(
      `text of 2 MB: ${name}`,
      Buffer.from(part('csrf', csrf) + part('name', value(1_900_000).slice(0, 900_000)) + end),
    );
  yield send('2 MB of tiny parts', Buffer.from(part('csrf', csrf) + part('a', '').repeat(30_000) + end));
  for (const [name, file] of Object.entries(files))
    yield send(
      `picture: ${name}`,
      Buffer.concat([
        Buffer.from(part('csrf', csrf)),
        Buffer.from(
          `--${boundary}\r\ncontent-disposition: form-data; name="picture"; filename="a"\r\ncontent-type: image/png\r\n\r\n`,
        ),
        file,
        Buffer.from(`\r\n${end}`),
      ]),
    );
}
