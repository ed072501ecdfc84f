// The code that an application may copy, filled for it: which libraries, which of them fit, and what they need.
import { readFileSync } from 'node:fs';
import { render } from '../../html/html.ts';
import { signInButton } from '../../html/signin-button.ts';
import type { Client } from '../../oauth/client.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { fill, type Language } from './fill.ts';

export type SnippetId =
  | 'openid-client'
  | 'auth-js'
  | 'passport-oauth2'
  | 'passport-openidconnect'
  | 'spring'
  | 'mod-auth-openidc'
  | 'oauth2-proxy'
  | 'browser'
  | 'http';

/** Code for one library, filled for one application. */
export interface Snippet {
  id: SnippetId;
  files: { name: string; text: string }[];
  /** The callback URL that it is filled with; not one that is registered when none of those would work with it. */
  callback: string;
  isRegistered: boolean;
}

interface Template {
  id: SnippetId;
  for: readonly ClientType[];
  /** Scopes without which the library cannot sign anybody in. */
  needs: readonly Scope[];
  /** Callback URLs that the library can come back to; its groups are values of the template. */
  callback: RegExp;
  /** The path of such a callback. */
  path: string;
  files: readonly { name: string; language: Language; template: string }[];
}

const CONFIDENTIAL = ['confidential'] as const;
const ANY = /^/;

const file = (name: string, language: Language, template = name) => ({
  name,
  language,
  template: readFileSync(new URL(`templates/${template}`, import.meta.url), 'utf8').trimEnd(),
});

const TEMPLATES: readonly Template[] = [
  {
    id: 'openid-client',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // It makes the callback anew from the address it was called at, without the query.
    callback: /^https?:\/\/[^/?]+\/[^?]*$/,
    path: '/callback',
    files: [file('server.mjs', 'js', 'openid-client.js')],
  },
  {
    id: 'auth-js',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/(?:[^?]*\/)?callback\/(?<callbackId>[\w-]+)$/,
    path: '/api/auth/callback/sesame',
    files: [file('auth.config.mjs', 'js', 'auth-js.js')],
  },
  {
    id: 'passport-oauth2',
    for: CONFIDENTIAL,
    needs: [],
    callback: ANY,
    path: '/callback',
    files: [file('sign-in.mjs', 'js', 'passport-oauth2.js')],
  },
  {
    id: 'passport-openidconnect',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: ANY,
    path: '/callback',
    files: [file('sign-in.mjs', 'js', 'passport-openidconnect.js')],
  },
  {
    id: 'spring',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?{}$]+\/login\/oauth2\/code\/(?<callbackId>[\w-]+)$/,
    path: '/login/oauth2/code/sesame',
    files: [file('application.yml', 'yaml')],
  },
  {
    id: 'mod-auth-openidc',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/[^?]+$/,
    path: '/callback',
    files: [file('sesame.conf', 'apache', 'mod-auth-openidc.conf')],
  },
  {
    id: 'oauth2-proxy',
    for: CONFIDENTIAL,
    needs: ['openid', 'email'],
    callback: /^https?:\/\/[^/?]+(?<proxyPrefix>\/[^?]+)\/callback$/,
    path: '/oauth2/callback',
    files: [file('oauth2-proxy.sh', 'sh')],
  },
  {
    id: 'browser',
    for: ['public'],
    needs: [],
    callback: /^https?:/,
    path: '/',
    files: [
      file('index.html', 'html', 'browser-page.html'),
      file('sign-in-page.js', 'js', 'browser-page.js'),
      file('signin.js', 'js'),
    ],
  },
  {
    id: 'http',
    for: ['confidential', 'public'],
    needs: [],
    callback: ANY,
    path: '/callback',
    files: [file('sign-in.sh', 'sh', 'curl.sh')],
  },
];

/** The service that the application signs people in with. */
export interface Service {
  issuer: string;
  serviceName: string;
}

/**
 * The snippets that fit an application, filled for it. The secret is never among the values: every snippet takes it
 * from the environment.
 * @returns also which ones are left out for want of a scope
 */
export function snippetsFor(
  application: Client,
  service: Service,
): { snippets: Snippet[]; left: { id: SnippetId; scopes: Scope[] }[] } {
  const candidates = TEMPLATES.filter((template) => template.for.includes(application.type));
  const lacking = ({ needs }: Template) => needs.filter((scope) => !application.scopes.includes(scope));
  return {
    snippets: candidates
      .filter((template) => lacking(template).length === 0)
      .map((template) => snippetOf(template, application, service)),
    left: candidates
      .filter((template) => lacking(template).length > 0)
      .map((template) => ({ id: template.id, scopes: lacking(template) })),
  };
}

function snippetOf(template: Template, application: Client, service: Service): Snippet {
  const registered = application.redirectUris.find((uri) => template.callback.test(uri));
  const callback = registered ?? suggestion(template, application);
  const values = {
    ...valuesFor(application, service, callback),
    ...template.callback.exec(callback)?.groups,
  };
  return {
    id: template.id,
    files: template.files.map(({ name, language, template: text }) => ({
      name,
      text: fill(text, language, values),
    })),
    callback,
    isRegistered: registered !== undefined,
  };
}

/** A callback URL that the template can work with, beside the one that is registered. */
function suggestion({ path }: Template, { redirectUris }: Client): string {
  const web = redirectUris.find((uri) => /^https?:/.test(uri));
  return `${web === undefined ? 'https://application.example' : new URL(web).origin}${path}`;
}

function valuesFor(
  { clientId, scopes, standard, type }: Client,
  { issuer, serviceName }: Service,
  callback: string,
): Record<string, string> {
  const secret = type === 'confidential';
  return {
    issuer,
    serviceName,
    clientId,
    callback,
    callbackPath: new URL(callback).pathname,
    callbackEncoded: encodeURIComponent(callback).replaceAll("'", '%27'),
    scope: scopes.join(' '),
    scopePlus: scopes.join('+'),
    scopeByComma: scopes.join(','),
    scopeBesideOpenid: scopes.filter((scope) => scope !== 'openid').join(' '),
    pictureClaim: standard ? 'picture' : 'avatar',
    secretField: secret ? ' --data-urlencode "client_secret=$CLIENT_SECRET"' : '',
    secretNote: secret ? ', with CLIENT_SECRET in the environment.' : '. A public application has no secret.',
    button: render(signInButton({ baseUrl: issuer, serviceName })),
  };
}
