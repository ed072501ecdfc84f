// The lists of the code that applications and APIs may copy: for each library its templates, and what it asks of an
// application.
import { readFileSync } from 'node:fs';
import type { ClientType } from '../../../oauth/redirect-uri.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import type { Language } from './fill.ts';

/** What the snippets are sorted by, in the order of the page. */
export const GROUPS = ['node', 'python', 'go', 'java', 'php', 'dotnet', 'ruby', 'front', 'bare'] as const;
export type Group = (typeof GROUPS)[number];

interface Entry {
  id: string;
  group: Group;
  for: readonly ClientType[];
  /** Scopes without which the library cannot sign anybody in. */
  needs: readonly Scope[];
  /** Callback URLs that the library can come back to; its groups are values of the template. */
  callback: RegExp;
  path: string;
  /** What starts it, in the folder of .env; none: it says itself where it takes its secrets from. */
  run?: string;
  files: readonly { name: string; language: Language; template: string }[];
}

const CONFIDENTIAL = ['confidential'] as const;
const BOTH = ['confidential', 'public'] as const;
const ANY = /^/;
/** A path that no router reads as anything but itself, without a query. */
const PLAIN = /^https?:\/\/[^/?]+\/[\w./~-]*$/;

/** For languages that cannot read .env by themselves; only secrets are in theirs. */
const withEnvironment = (command: string): string => `set -a; . ./.env; set +a\n${command}`;

const file = (name: string, language: Language, template = name) => ({
  name,
  language,
  template: readFileSync(new URL(`templates/${template}`, import.meta.url), 'utf8').trimEnd(),
});

const ENTRIES = [
  {
    id: 'openid-client',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // It makes the callback anew from the address it was called at, without the query.
    callback: /^https?:\/\/[^/?]+\/[^?]*$/,
    path: '/callback',
    run: 'node --env-file=.env server.mjs',
    files: [file('server.mjs', 'js', 'openid-client.js')],
  },
  {
    id: 'auth-js',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/(?:[^?]*\/)?callback\/(?<callbackId>[\w-]+)$/,
    path: '/api/auth/callback/sesame',
    run: 'npx next dev --port {{port}}',
    files: [file('auth.config.mjs', 'js', 'auth-js.js')],
  },
  {
    id: 'passport-oauth2',
    group: 'node',
    for: CONFIDENTIAL,
    needs: [],
    callback: ANY,
    path: '/callback',
    run: 'node --env-file=.env app.mjs',
    files: [file('sign-in.mjs', 'js', 'passport-oauth2.js')],
  },
  {
    id: 'passport-openidconnect',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: ANY,
    path: '/callback',
    run: 'node --env-file=.env app.mjs',
    files: [file('sign-in.mjs', 'js', 'passport-openidconnect.js')],
  },
  {
    id: 'authlib',
    group: 'python',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: PLAIN,
    path: '/callback',
    run: 'python3 -m dotenv run -- python3 app.py',
    files: [file('app.py', 'python', 'authlib.py')],
  },
  {
    id: 'django',
    group: 'python',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/(?<djangoPrefix>(?:[\w.~-]+\/)+)callback\/$/,
    path: '/oidc/callback/',
    run: 'python3 -m dotenv run -- python3 manage.py runserver {{port}}',
    files: [
      file('settings.py', 'python', 'django-settings.py'),
      file('urls.py', 'python', 'django-urls.py'),
      file('sign_in.py', 'python', 'django-backend.py'),
    ],
  },
  {
    id: 'go-oidc',
    group: 'go',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: PLAIN,
    path: '/callback',
    run: withEnvironment('go run .'),
    files: [file('main.go', 'go', 'go-oidc.go')],
  },
  {
    id: 'spring',
    group: 'java',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?{}$]+\/login\/oauth2\/code\/(?<callbackId>[\w-]+)$/,
    path: '/login/oauth2/code/sesame',
    run: withEnvironment('./mvnw spring-boot:run'),
    files: [file('application.yml', 'yaml')],
  },
  {
    id: 'league',
    group: 'php',
    for: CONFIDENTIAL,
    needs: [],
    callback: ANY,
    path: '/callback',
    run: withEnvironment('php -S localhost:{{port}} sign-in.php'),
    files: [file('sign-in.php', 'php', 'league.php')],
  },
  {
    id: 'aspnet',
    group: 'dotnet',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // It makes the callback anew from the address it was called at.
    callback: PLAIN,
    path: '/signin-oidc',
    run: withEnvironment('dotnet run'),
    files: [file('Program.cs', 'csharp', 'aspnet.cs')],
  },
  {
    id: 'omniauth',
    group: 'ruby',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/auth\/(?<callbackId>[\w-]+)\/callback$/,
    path: '/auth/sesame/callback',
    run: withEnvironment('bin/rails server -p {{port}}'),
    files: [file('omniauth.rb', 'ruby')],
  },
  {
    id: 'mod-auth-openidc',
    group: 'front',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/[^?]+$/,
    path: '/callback',
    files: [file('sesame.conf', 'apache', 'mod-auth-openidc.conf')],
  },
  {
    id: 'oauth2-proxy',
    group: 'front',
    for: CONFIDENTIAL,
    needs: ['openid', 'email'],
    callback: /^https?:\/\/[^/?]+(?<proxyPrefix>\/[^?]+)\/callback$/,
    path: '/oauth2/callback',
    run: withEnvironment('sh oauth2-proxy.sh'),
    files: [file('oauth2-proxy.sh', 'sh')],
  },
  {
    id: 'browser',
    group: 'bare',
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
    group: 'bare',
    for: BOTH,
    needs: [],
    callback: ANY,
    path: '/callback',
    run: withEnvironment('bash sign-in.sh'),
    files: [file('sign-in.sh', 'sh', 'curl.sh')],
  },
] as const satisfies readonly Entry[];

export type SnippetId = (typeof ENTRIES)[number]['id'];
export type Template = Entry & { id: SnippetId };
export const TEMPLATES: readonly Template[] = ENTRIES;

const API_ENTRIES = [
  { id: 'api-node', files: [file('api.mjs', 'js', 'api-node.js')] },
  { id: 'api-mcp', files: [file('server.mjs', 'js', 'api-mcp.js')] },
  { id: 'api-mcp-python', files: [file('server.py', 'python', 'api-mcp-python.py')] },
  { id: 'api-python', files: [file('api.py', 'python', 'api-python.py')] },
  { id: 'api-go', files: [file('main.go', 'go', 'api-go.go')] },
  { id: 'api-spring', files: [file('ApiSecurity.java', 'java')] },
  { id: 'introspect', files: [file('introspect.sh', 'sh')] },
] as const satisfies readonly Pick<Entry, 'id' | 'files'>[];

export type ApiSnippetId = (typeof API_ENTRIES)[number]['id'];
export type ApiTemplate = Pick<Entry, 'files'> & { id: ApiSnippetId };
export const API_TEMPLATES: readonly ApiTemplate[] = API_ENTRIES;
