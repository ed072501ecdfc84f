// Filling the templates of code to copy: whatever a value holds, the code holds that value and nothing else.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/oauth/client.ts';
import { redirectUriFault } from '../../../src/oauth/redirect-uri.ts';
import { apiSnippetsFor, snippetsFor } from '../../../src/pages/console/snippets/catalogue.ts';
import { fill } from '../../../src/pages/console/snippets/fill.ts';

const HOSTILE = [
  `it's "quoted" \\ and \`ticked\``,
  "'; process.exit(1); '",
  "'\\''; $(exit 1); '",
  `$${'{CLIENT_SECRET}'} $& $1 {{issuer}}`,
  "''",
];

/** The text that bash reads in a script that prints it. */
const readBySh = (script: string) => spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout;

describe('a quoted placeholder becomes a literal', () => {
  test('of each language', () => {
    for (const value of HOSTILE) {
      expect(new Function(fill("return '{{value}}'", 'js', { value }))()).toBe(value);
      expect(readBySh(fill("printf %s '{{value}}'", 'sh', { value }))).toBe(value);
      const [, yaml = ''] = /^a: '((?:[^']|'')*)'$/.exec(fill("a: '{{value}}'", 'yaml', { value })) ?? [];
      expect(yaml.replaceAll("''", "'")).toBe(value);
      for (const language of ['go', 'csharp', 'java'] as const) {
        const literal = fill("'{{value}}'", language, { value: `${value}\u2028\n` });
        expect(literal).toMatch(/^"[^\n\u2028]*"$/);
        expect(JSON.parse(literal)).toBe(`${value}\u2028\n`);
      }
      for (const language of ['python', 'php', 'ruby'] as const) {
        const [, inside = ''] =
          /^'((?:[^'\\]|\\['\\])*)'$/.exec(fill("'{{value}}'", language, { value })) ?? [];
        expect(inside.replace(/\\(.)/g, '$1')).toBe(value);
      }
    }
  });
});

describe('placeholders', () => {
  test('without a value are a fault of ours', () => {
    expect(() => fill("'{{nothing}}'", 'js', {})).toThrow('{{nothing}}');
    expect(() => fill('{{nothing}}', 'html', {})).toThrow('{{nothing}}');
  });
});

const application = (fields: Partial<Client>): Client => ({
  clientId: 'app_1',
  name: 'Carnet',
  type: 'confidential',
  redirectUris: ['https://app.example/callback'],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
  ...fields,
});
const SERVICE = { issuer: 'https://sesame.example', serviceName: "L'Entrée & <Cie>" };
const idsOf = (client: Client) => snippetsFor(client, SERVICE).map(({ id }) => id);
const find = (client: Client, id: string) => {
  const snippet = snippetsFor(client, SERVICE).find((one) => one.id === id);
  if (snippet === undefined) throw new Error(`no snippet ${id}`);
  return snippet;
};

describe('the catalogue', () => {
  test('offers a public application only what needs no secret', () => {
    expect(idsOf(application({}))).not.toContain('browser');
    expect(idsOf(application({ type: 'public' }))).toEqual(['browser', 'http']);
  });

  test('says which scopes a library cannot do without', () => {
    const lacking = snippetsFor(application({ scopes: ['profile'] }), SERVICE).map((one) => [
      one.id,
      one.lacking,
    ]);
    expect(Object.fromEntries(lacking)).toMatchObject({
      ...{ league: [], http: [], 'auth-js': ['openid'], 'oauth2-proxy': ['openid', 'email'] },
    });
  });

  test('fills each library with a registered callback URL that it can come back to', () => {
    const redirectUris = [
      'https://app.example/cb?query=1',
      'https://app.example/api/auth/callback/entree',
      'https://app.example/login/oauth2/code/entree',
      'https://app.example/proxy/callback',
    ];
    const callbacks = Object.fromEntries(
      snippetsFor(application({ redirectUris }), SERVICE).map(({ id, callback }) => [id, callback]),
    );
    expect(callbacks).toMatchObject({
      'passport-oauth2': redirectUris[0],
      'openid-client': redirectUris[1],
      'auth-js': redirectUris[1],
      spring: redirectUris[2],
      'oauth2-proxy': redirectUris[3],
    });
  });

  test('offers one to be registered where none fits, and says that it is not', () => {
    expect(find(application({}), 'auth-js')).toMatchObject({
      callback: 'https://app.example/api/auth/callback/sesame',
      isRegistered: false,
    });
    const queried = application({ redirectUris: ['https://app.example/?a=1'] });
    expect(find(queried, 'openid-client')).toMatchObject({
      callback: 'https://app.example/callback',
      isRegistered: false,
    });
    const native = application({ type: 'public', redirectUris: ['com.example.app:/callback'] });
    expect(find(native, 'browser')).toMatchObject({
      callback: 'https://application.example/',
      isRegistered: false,
    });
  });

  test('writes a literal that holds the callback URL, whatever is registered', () => {
    const characters = fc.constantFrom(...'\'"`$(){}<>;&|!~@:,=+%-._/ab'.split(''));
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 30 }), (path) => {
        const uri = `https://app.example/${path.join('')}`;
        fc.pre(redirectUriFault(uri, 'confidential', true) === undefined);
        const { callback, files } = find(application({ redirectUris: [uri] }), 'league');
        expect(callback).toBe(uri);
        // PHP and JavaScript read a text in single quotes alike.
        const literal = /'redirectUri' => ('(?:[^'\\]|\\.)*'),/.exec(files[0]?.text ?? '')?.[1] ?? '';
        expect(new Function(`return ${literal}`)()).toBe(uri);
      }),
    );
  });

  test('has no placeholder left anywhere, and takes the secret from the environment', () => {
    for (const type of ['confidential', 'public'] as const)
      for (const { id, files } of snippetsFor(application({ type }), SERVICE)) {
        const text = files.map((one) => one.text).join('');
        expect(text, id).not.toMatch(/\{\{/);
        expect(text.includes('CLIENT_SECRET'), `${id} of a ${type} application`).toBe(
          type === 'confidential',
        );
      }
  });
});

describe('the code for an API', () => {
  const of = (identifier: string, scopes = ['notes.read', "it's"]) =>
    apiSnippetsFor({ apiId: `api_${'x'.repeat(20)}`, identifier, scopes }, SERVICE);
  const textsOf = (identifier: string, scopes?: string[]) =>
    of(identifier, scopes).map(({ files }) => files.map(({ text }) => text).join(''));

  test('is filled with its identifier, whatever stands in it, with its scopes and with who signs its tokens', () => {
    const texts = textsOf("https://api.example/it's/v1");
    expect(texts[0]).toContain("const api = 'https://api.example/it\\'s/v1'");
    expect(texts[0]).toContain("'notes.read it\\'s'.split(' ')");
    expect(texts[0]).toContain("'/.well-known/oauth-protected-resource/it\\'s/v1'");
    for (const text of texts) {
      expect(text).toContain(SERVICE.issuer);
      expect(text).not.toMatch(/\{\{|CLIENT_SECRET/);
    }
  });
});
