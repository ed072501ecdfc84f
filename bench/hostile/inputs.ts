// Requests that are cheap to send but may be expensive to parse.

/** Slightly below the service's limit for form bodies and Node's limit for headers. */
const MAX_BODY_BYTES = 64 * 1024 - 512;
const MAX_HEADER_BYTES = 15_000;

const getEncodedSize = (text: string): number => encodeURIComponent(text).length;

const repeatToSize = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / getEncodedSize(unit)));

const HOSTILE_VALUES: Record<string, (bytes: number) => string> = {
  'combining marks': (bytes) => `a${repeatToSize('\u0301', bytes / 2)}${repeatToSize('\u0316', bytes / 2)}`,
  lines: (bytes) => repeatToSize('a\n', bytes),
  'lines of URLs': (bytes) => listDistinctUrls(bytes),
  spaces: (bytes) => `a${repeatToSize(' ', bytes - 2)}b`,
  words: (bytes) => repeatToSize('a ', bytes),
  'deep JSON': (bytes) => repeatToSize('[', bytes / 2) + repeatToSize(']', bytes / 2),
  'deep objects': (bytes) => repeatToSize('{"a":', bytes),
  'one letter': (bytes) => repeatToSize('a', bytes),
  digits: (bytes) => repeatToSize('1', bytes),
  dashes: (bytes) => repeatToSize('-', bytes),
  dots: (bytes) => repeatToSize('a.', bytes),
  'at signs': (bytes) => `a${repeatToSize('@a', bytes)}`,
  slashes: (bytes) => `https://a.example/${repeatToSize('a/', bytes - 30)}`,
  emoji: (bytes) => repeatToSize('👩‍👩‍👧‍👦', bytes),
  'right-to-left marks': (bytes) => repeatToSize('\u202e', bytes),
  markup: (bytes) => repeatToSize('<a href="', bytes),
  quotes: (bytes) => repeatToSize('"\\', bytes),
};

function listDistinctUrls(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0; ; ) {
    const line = `https://a${lines.length}.b/\n`;
    size += getEncodedSize(line);
    if (size > bytes) return lines.join('');
    lines.push(line);
  }
}

const HOSTILE_FORM_TEXTS: Record<string, (bytes: number) => string> = {
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

/** Header values must be ASCII. */
const HOSTILE_HEADERS: Record<string, Record<string, string>> = {
  'user agent with versions': { 'user-agent': `Mozilla/5.0 ${'Version/1 '.repeat(MAX_HEADER_BYTES / 10)}` },
  'user agent with digits': { 'user-agent': `Mozilla/5.0 Version/${'1.'.repeat(MAX_HEADER_BYTES / 2)}` },
  'undecodable cookies': { cookie: 'a=%;'.repeat(MAX_HEADER_BYTES / 4) },
  'sesame cookies': { cookie: createSesameCookies('__Host-sesame-browser-') },
  'one long cookie': { cookie: `__Host-sesame-others=${'A.'.repeat(MAX_HEADER_BYTES / 2)}` },
  'cookie separators': { cookie: ';'.repeat(MAX_HEADER_BYTES) },
  'accepted languages': { 'accept-language': 'a;q=0.1,'.repeat(MAX_HEADER_BYTES / 8) },
  'accepted types': { accept: `text/html,${'text/htm,'.repeat(MAX_HEADER_BYTES / 9)}` },
  'content type': { 'content-type': `application/x-www-form-urlencoded${' '.repeat(MAX_HEADER_BYTES)}x` },
  'content type with parameters': {
    'content-type': `application/x-www-form-urlencoded${'; a=b'.repeat(MAX_HEADER_BYTES / 5)}`,
  },
  'multipart boundary': { 'content-type': `multipart/form-data; boundary=${'-'.repeat(MAX_HEADER_BYTES)}` },
  'bearer token': { authorization: `Bearer ${'a.'.repeat(MAX_HEADER_BYTES / 2)}` },
  'basic credentials': {
    authorization: `Basic ${Buffer.from('%'.repeat((MAX_HEADER_BYTES * 3) / 4 - 10)).toString('base64')}`,
  },
  'spaces in credentials': { authorization: `Basic${' '.repeat(MAX_HEADER_BYTES)}x` },
  forwarded: { 'x-forwarded-for': '1.2.3.4, '.repeat(MAX_HEADER_BYTES / 9), 'x-forwarded-proto': 'https' },
  'entity tags': { 'if-none-match': '"a",'.repeat(MAX_HEADER_BYTES / 4) },
  'preflight headers': { 'access-control-request-headers': 'a, '.repeat(MAX_HEADER_BYTES / 3) },
  purposes: { 'sec-purpose': 'prefetc '.repeat(MAX_HEADER_BYTES / 8) },
};

function createSesameCookies(prefix: string): string {
  let text = '';
  for (let index = 0; text.length < MAX_HEADER_BYTES - 70; index += 1)
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
  method: string; // in lower case
  path: string;
  fields: Record<string, string>;
  /** Fields to replace with hostile text. */
  replaced: string[];
}

const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };

/** Yields requests with hostile text in a form field, after the fields, or as the whole body. */
export function* generateHostileForms(
  { path, fields, replaced }: Omit<Form, 'method'>,
  headers: Record<string, string>,
) {
  const createInput = (name: string, body: string): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { ...FORM_HEADERS, ...headers },
    body,
  });
  const valid = new URLSearchParams(fields).toString();
  for (const field of replaced) {
    const others = new URLSearchParams(fields);
    others.delete(field);
    const otherParameters = others.toString();
    for (const [name, value] of Object.entries(HOSTILE_VALUES))
      yield createInput(
        `${field}: ${name}`,
        `${otherParameters}&${field}=${encodeURIComponent(value(MAX_BODY_BYTES - otherParameters.length - field.length - 2))}`,
      );
  }
  for (const [name, text] of Object.entries(HOSTILE_FORM_TEXTS)) {
    yield createInput(name, text(MAX_BODY_BYTES));
    yield createInput(`${name} after valid fields`, `${valid}&${text(MAX_BODY_BYTES - valid.length - 1)}`);
  }
}

export function* generateHostileQueries(
  path: string,
  parameters: Record<string, string>,
  headers: Record<string, string>,
) {
  const createInput = (name: string, query: string): HostileInput => ({
    name,
    method: 'GET',
    path: `${path}?${query}`,
    headers,
  });
  for (const [name, text] of Object.entries(HOSTILE_FORM_TEXTS))
    yield createInput(name, text(MAX_HEADER_BYTES));
  for (const field of Object.keys(parameters)) {
    const others = new URLSearchParams(parameters);
    others.delete(field);
    const otherParameters = others.toString();
    for (const [name, value] of Object.entries(HOSTILE_VALUES))
      yield createInput(
        `${field}: ${name}`,
        `${otherParameters}&${field}=${encodeURIComponent(value(MAX_HEADER_BYTES - otherParameters.length - field.length - 2))}`,
      );
  }
}

export function* generateHostileHeaders(
  path: string,
  headers: Record<string, string>,
): Generator<HostileInput> {
  for (const [name, hostile] of Object.entries(HOSTILE_HEADERS)) {
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

export function* generateHostileMetadata(path: string): Generator<HostileInput> {
  const createInput = (name: string, body: string): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body,
  });
  const valid = { client_name: 'Agent', redirect_uris: ['https://agent.example/callback'] };
  const uris = Array.from({ length: 3000 }, (_, index) => `https://a${index}.b/`);
  yield createInput('deep JSON', '['.repeat(MAX_BODY_BYTES / 2) + ']'.repeat(MAX_BODY_BYTES / 2));
  yield createInput('deep objects', '{"a":'.repeat(MAX_BODY_BYTES / 5));
  yield createInput(
    'many members',
    `{${Array.from({ length: 8000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
  );
  yield createInput(
    'many redirect URIs',
    JSON.stringify({ ...valid, redirect_uris: uris }).slice(0, MAX_BODY_BYTES),
  );
  for (const [name, value] of Object.entries(HOSTILE_VALUES)) {
    const text = value(MAX_BODY_BYTES - 200).slice(0, 20_000);
    yield createInput(`client_name: ${name}`, JSON.stringify({ ...valid, client_name: text }));
    yield createInput(`redirect_uris: ${name}`, JSON.stringify({ ...valid, redirect_uris: [text] }));
    yield createInput(
      `token_endpoint_auth_method: ${name}`,
      JSON.stringify({ ...valid, token_endpoint_auth_method: text }),
    );
  }
}

export function* generateHostileBodies(path: string): Generator<HostileInput> {
  for (const [name, text] of Object.entries(HOSTILE_FORM_TEXTS))
    for (const method of ['OPTIONS', 'GET'])
      yield {
        name: `${method} with a body: ${name}`,
        method,
        path,
        headers: FORM_HEADERS,
        body: text(MAX_BODY_BYTES),
      };
}

export function* generateHostileUploads(
  path: string,
  csrf: string,
  headers: Record<string, string>,
  files: Record<string, Buffer>,
) {
  const boundary = 'hostile';
  const createMultipartPart = (name: string, content: string, file = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  const createInput = (name: string, body: Buffer): HostileInput => ({
    name,
    method: 'POST',
    path,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body,
  });
  const closingBoundary = `--${boundary}--\r\n`;
  for (const [name, value] of Object.entries(HOSTILE_VALUES))
    yield createInput(
      `large text: ${name}`,
      Buffer.from(
        createMultipartPart('csrf', csrf) +
          createMultipartPart('name', value(1_900_000).slice(0, 900_000)) +
          closingBoundary,
      ),
    );
  yield createInput(
    '2 MB of tiny parts',
    Buffer.from(
      createMultipartPart('csrf', csrf) + createMultipartPart('a', '').repeat(30_000) + closingBoundary,
    ),
  );
  for (const [name, file] of Object.entries(files))
    yield createInput(
      `picture: ${name}`,
      Buffer.concat([
        Buffer.from(createMultipartPart('csrf', csrf)),
        Buffer.from(
          `--${boundary}\r\ncontent-disposition: form-data; name="picture"; filename="a"\r\ncontent-type: image/png\r\n\r\n`,
        ),
        file,
        Buffer.from(`\r\n${closingBoundary}`),
      ]),
    );
}
