// The sample code templates for clients and APIs, with the requirements of each library.
import { readFileSync } from 'node:fs';
import type { ClientType } from '../../../oauth/redirect-uri.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import type { Language } from './fill.ts';

/** The groups of libraries, in page order. */
export const GROUPS = ['node', 'python', 'go', 'java', 'php', 'dotnet', 'ruby', 'front', 'bare'] as const;
export type Group = (typeof GROUPS)[number];

interface Entry {
  id: string;
  group: Group;
  for: readonly ClientType[];
  /** The scopes that the library requires. */
  needs: readonly Scope[];
  /** Matches the redirect URIs that the library supports. Its capture groups are template values. */
  callback: RegExp;
  path: string;
  /**
   * The command that runs the code in the folder that contains `.env`. Undefined if comments in the code explain
   * where to set secrets.
   */
  run?: string;
  files: readonly { name: string; language: Language; template: string }[];
}

const CONFIDENTIAL = ['confidential'] as const;
const BOTH = ['confidential', 'public'] as const;
const ANY_URI = /^/;
/** Matches URLs without a query, whose path has no characters that routers interpret. */
const PLAIN_PATH = /^https?:\/\/[^/?]+\/[\w./~-]*$/;

/** Runs a command with the variables in `.env`, for languages without a library that loads the file. */
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
    // The library rebuilds the redirect URI from the request URL, without the query.
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
    callback: ANY_URI,
    path: '/callback',
    run: 'node --env-file=.env app.mjs',
    files: [file('sign-in.mjs', 'js', 'passport-oauth2.js')],
  },
  {
    id: 'passport-openidconnect',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: ANY_URI,
    path: '/callback',
    run: 'node --env-file=.env app.mjs',
    files: [file('sign-in.mjs', 'js', 'passport-openidconnect.js')],
  },
  {
    id: 'authlib',
    group: 'python',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: PLAIN_PATH,
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
    callback: PLAIN_PATH,
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
    callback: ANY_URI,
    path: '/callback',
    run: withEnvironment('php -S localhost:{{port}} sign-in.php'),
    files: [file('sign-in.php', 'php', 'league.php')],
  },
  {
    id: 'aspnet',
    group: 'dotnet',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // The library rebuilds the redirect URI from the request URL.
    callback: PLAIN_PATH,
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
    callback: ANY_URI,
    path: '/callback',
    run: withEnvironment('bash sign-in.sh'),
    files: [file('sign-in.sh', 'sh', 'curl.sh')],
  },
] as const satisfies readonly Entry[];

export type SnippetId = (typeof ENTRIES)[number]['id'];
export type ClientTemplate = Entry & { id: SnippetId };
export const CLIENT_TEMPLATES: readonly ClientTemplate[] = ENTRIES;

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
