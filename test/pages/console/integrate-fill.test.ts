// Sample code templates.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/oauth/client.ts';
import { validateRedirectUri } from '../../../src/oauth/redirect-uri.ts';
import { buildApiSnippets, buildClientSnippets } from '../../../src/pages/console/snippets/catalog.ts';
import { fillTemplate } from '../../../src/pages/console/snippets/fill.ts';

const HOSTILE_STRINGS = [
  `it's "quoted" \\ and \`ticked\``,
  "'; process.exit(1); '",
  "'\\''; $(exit 1); '",
  `$${'{CLIENT_SECRET}'} $& $1 {{issuer}}`,
  "''",
];

const runScript = (script: string) => spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout;

describe('a quoted placeholder', () => {
  test('is replaced with a correct string literal in each language', () => {
    for (const value of HOSTILE_STRINGS) {
      expect(new Function(fillTemplate("return '{{value}}'", 'js', { value }))()).toBe(value);
      expect(runScript(fillTemplate("printf %s '{{value}}'", 'sh', { value }))).toBe(value);
      const [, yaml = ''] =
        /^a: '((?:[^']|'')*)'$/.exec(fillTemplate("a: '{{value}}'", 'yaml', { value })) ?? [];
      expect(yaml.replaceAll("''", "'")).toBe(value);
      for (const language of ['go', 'csharp', 'java'] as const) {
        const literal = fillTemplate("'{{value}}'", language, { value: `${value}\u2028\n` });
        expect(literal).toMatch(/^"[^\n\u2028]*"$/);
        expect(JSON.parse(literal)).toBe(`${value}\u2028\n`);
      }
      const unescapeText = (literal: string, code: RegExp) =>
        literal
          .slice(1, -1)
          .replace(code, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
          .replace(/\\(.)/g, '$1');
      const swift = fillTemplate("'{{value}}'", 'swift', { value: `${value}\u2028\n` });
      expect(swift).toMatch(/^"(?:[^"\\\n\u2028]|\\["\\]|\\u\{[0-9a-f]{4}\})*"$/);
      expect(unescapeText(swift, /\\u\{([0-9a-f]{4})\}/g)).toBe(`${value}\u2028\n`);
      const kotlin = fillTemplate("'{{value}}'", 'kotlin', { value: `${value}\u2028\n` });
      expect(kotlin, 'in Kotlin, $ starts a template').toMatch(
        /^"(?:[^"\\\n\u2028$]|\\["\\$]|\\u[0-9a-f]{4})*"$/,
      );
      expect(unescapeText(kotlin, /\\u([0-9a-f]{4})/g)).toBe(`${value}\u2028\n`);
      for (const language of ['python', 'php', 'ruby'] as const) {
        const [, content = ''] =
          /^'((?:[^'\\]|\\['\\])*)'$/.exec(fillTemplate("'{{value}}'", language, { value })) ?? [];
        expect(content.replace(/\\(.)/g, '$1')).toBe(value);
      }
    }
  });
});

describe('fillTemplate', () => {
  test('throws an error if a placeholder has no value', () => {
    expect(() => fillTemplate("'{{nothing}}'", 'js', {})).toThrow('{{nothing}}');
    expect(() => fillTemplate('{{nothing}}', 'html', {})).toThrow('{{nothing}}');
  });
});

const buildClient = (fields: Partial<Client>): Client => ({
  clientId: 'app_1',
  name: 'Carnet',
  type: 'confidential',
  redirectUris: ['https://app.example/callback'],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
  ...fields,
});
const SERVICE = { issuer: 'https://sesame.example', serviceName: "L'Entrée & <Cie>" };
const listIds = (client: Client) => buildClientSnippets(client, SERVICE).map(({ id }) => id);
const findSnippet = (client: Client, id: string) => {
  const snippet = buildClientSnippets(client, SERVICE).find((one) => one.id === id);
  if (snippet === undefined) throw new Error(`no snippet ${id}`);
  return snippet;
};

describe('the sample code', () => {
  test('includes browser and mobile libraries only for public clients', () => {
    const ids = ['oidc-client-ts', 'react-oidc-context', 'appauth-ios', 'appauth-android'];
    expect(listIds(buildClient({})).filter((id) => ids.includes(id))).toEqual([]);
    expect(listIds(buildClient({ type: 'public' }))).toEqual([...ids, 'http']);
  });

  test('lists the scopes that a client lacks', () => {
    const missingScopes = buildClientSnippets(buildClient({ scopes: ['profile'] }), SERVICE).map((one) => [
      one.id,
      one.missingScopes,
    ]);
    expect(Object.fromEntries(missingScopes)).toMatchObject({
      ...{ league: [], http: [], 'auth-js': ['openid'], 'oauth2-proxy': ['openid', 'email'] },
    });
  });

  test('uses a redirect URI that the library supports', () => {
    const redirectUris = [
      'https://app.example/cb?query=1',
      'https://app.example/api/auth/callback/entree',
      'https://app.example/login/oauth2/code/entree',
      'https://app.example/proxy/callback',
    ];
    const redirectUriById = Object.fromEntries(
      buildClientSnippets(buildClient({ redirectUris }), SERVICE).map(({ id, redirectUri }) => [
        id,
        redirectUri,
      ]),
    );
    expect(redirectUriById).toMatchObject({
      'passport-oauth2': redirectUris[0],
      'openid-client': redirectUris[1],
      'auth-js': redirectUris[1],
      spring: redirectUris[2],
      'oauth2-proxy': redirectUris[3],
    });
  });

  test('suggests a redirect URI if the library supports no registered URI', () => {
    expect(findSnippet(buildClient({}), 'auth-js')).toMatchObject({
      redirectUri: 'https://app.example/api/auth/callback/sesame',
      isRedirectUriRegistered: false,
    });
    const queried = buildClient({ redirectUris: ['https://app.example/?a=1'] });
    expect(findSnippet(queried, 'openid-client')).toMatchObject({
      redirectUri: 'https://app.example/callback',
      isRedirectUriRegistered: false,
    });
    const native = buildClient({ type: 'public', redirectUris: ['com.example.app:/callback'] });
    expect(findSnippet(native, 'oidc-client-ts')).toMatchObject({
      redirectUri: 'https://application.example/',
      isRedirectUriRegistered: false,
    });
    expect(findSnippet(native, 'appauth-ios')).toMatchObject({
      redirectUri: 'com.example.app:/callback',
      isRedirectUriRegistered: true,
    });
    const page = buildClient({ type: 'public', redirectUris: ['https://app.example/$a'] });
    for (const id of ['oidc-client-ts', 'appauth-android'])
      expect(findSnippet(page, id), id).toMatchObject({ isRedirectUriRegistered: false });
    expect(findSnippet(page, 'appauth-android').redirectUri).toBe('com.example.app:/callback');
  });

  test('quotes any redirect URI correctly', () => {
    const characters = fc.constantFrom(...'\'"`$(){}<>;&|!~@:,=+%-._/ab'.split(''));
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 30 }), (path) => {
        const uri = `https://app.example/${path.join('')}`;
        fc.pre(validateRedirectUri(uri, 'confidential', true) === undefined);
        const { redirectUri, files } = findSnippet(buildClient({ redirectUris: [uri] }), 'league');
        expect(redirectUri).toBe(uri);
        // PHP's single-quoted strings are also valid in JavaScript.
        const literal = /'redirectUri' => ('(?:[^'\\]|\\.)*'),/.exec(files[0]?.text ?? '')?.[1] ?? '';
        expect(new Function(`return ${literal}`)()).toBe(uri);
      }),
    );
  });

  test('contains no unfilled placeholders', () => {
    for (const type of ['confidential', 'public'] as const)
      for (const { id, files } of buildClientSnippets(buildClient({ type }), SERVICE)) {
        const text = files.map((one) => one.text).join('');
        expect(text, id).not.toMatch(/\{\{/);
        expect(text.includes('CLIENT_SECRET'), `${id} of a ${type} application`).toBe(
          type === 'confidential',
        );
      }
  });
});

describe("an API's sample code", () => {
  const buildApi = (identifier: string, scopes = ['notes.read', "it's"]) =>
    buildApiSnippets({ apiId: `api_${'x'.repeat(20)}`, identifier, scopes }, SERVICE);
  const listTexts = (identifier: string, scopes?: string[]) =>
    buildApi(identifier, scopes).map(({ files }) => files.map(({ text }) => text).join(''));

  test("contains the issuer and the API's identifier and scopes", () => {
    const texts = listTexts("https://api.example/it's/v1");
    expect(texts[0]).toContain("const api = 'https://api.example/it\\'s/v1'");
    expect(texts[0]).toContain("'notes.read it\\'s'.split(' ')");
    expect(texts[0]).toContain("'/.well-known/oauth-protected-resource/it\\'s/v1'");
    for (const text of texts) {
      expect(text).toContain(SERVICE.issuer);
      expect(text).not.toMatch(/\{\{|CLIENT_SECRET/);
    }
  });
});
