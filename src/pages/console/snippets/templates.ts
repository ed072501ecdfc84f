// Sample code templates for clients and APIs, with each library's requirements.
import { readFileSync } from 'node:fs';
import type { ClientType } from '../../../oauth/redirect-uri.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import type { Language } from './fill.ts';

export const SNIPPET_GROUPS = [
  'node',
  'python',
  'go',
  'java',
  'php',
  'dotnet',
  'ruby',
  'front',
  'page',
  'react',
  'ios',
  'android',
  'http',
] as const;
export type SnippetGroup = (typeof SNIPPET_GROUPS)[number];

interface TemplateEntry {
  id: string;
  group: SnippetGroup;
  for: readonly ClientType[];
  needs: readonly Scope[];
  /** Matches supported redirect URIs. Capture groups become template values. */
  callback: RegExp;
  /** Path of the suggested redirect URI, or the whole URI if its scheme is a private-use scheme. */
  path: string;
  install?: string;
  /** A file with `export` lines, for code that doesn't read `.env`. */
  environmentFile?: string;
  run?: string;
  /** True if the shell must load `.env` because neither the command nor the code does. */
  shellLoadsEnv?: true;
  files: readonly { name: string; language: Language; template: string }[];
}

const CONFIDENTIAL = ['confidential'] as const;
const PUBLIC = ['public'] as const;
const BOTH_TYPES = ['confidential', 'public'] as const;
const ANY_URI = /^/;
/** Excludes `$` because Vite expands variables in `.env`. */
const URL_WITHOUT_DOLLAR = /^https?:[^$]*$/;
const PRIVATE_USE_URI = /^(?<callbackScheme>[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):/;
/** Matches URLs that have no query and no characters with a special meaning in route paths. */
const PLAIN_PATH = /^https?:\/\/[^/?]+\/[\w./~-]*$/;

const PRIVATE_USE_EXAMPLE = 'com.example.app:/callback';

const templateFile = (name: string, language: Language, template = name) => ({
  name,
  language,
  template: readFileSync(new URL(`templates/${template}`, import.meta.url), 'utf8').trimEnd(),
});

const CLIENT_ENTRIES = [
  {
    id: 'openid-client',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // The library rebuilds the redirect URI from the request URL, without the query.
    callback: /^https?:\/\/[^/?]+\/[^?]*$/,
    path: '/callback',
    install: 'npm install openid-client@6',
    run: 'node --env-file=.env server.mjs',
    files: [templateFile('server.mjs', 'js', 'openid-client.js')],
  },
  {
    id: 'auth-js',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/(?:[^?]*\/)?callback\/(?<callbackId>[\w-]+)$/,
    path: '/api/auth/callback/sesame',
    run: 'npx next dev --port {{port}}',
    files: [templateFile('auth.config.mjs', 'js', 'auth-js.js')],
  },
  {
    id: 'passport-oauth2',
    group: 'node',
    for: CONFIDENTIAL,
    needs: [],
    callback: ANY_URI,
    path: '/callback',
    install: 'npm install express express-session passport passport-oauth2',
    run: 'node --env-file=.env app.mjs',
    files: [templateFile('sign-in.mjs', 'js', 'passport-oauth2.js')],
  },
  {
    id: 'passport-openidconnect',
    group: 'node',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: ANY_URI,
    path: '/callback',
    install: 'npm install express express-session passport passport-openidconnect',
    run: 'node --env-file=.env app.mjs',
    files: [templateFile('sign-in.mjs', 'js', 'passport-openidconnect.js')],
  },
  {
    id: 'authlib',
    group: 'python',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: PLAIN_PATH,
    path: '/callback',
    install: "pip install authlib flask requests 'python-dotenv[cli]'",
    run: 'python3 -m dotenv run -- python3 app.py',
    files: [templateFile('app.py', 'python', 'authlib.py')],
  },
  {
    id: 'django',
    group: 'python',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/(?<djangoPrefix>(?:[\w.~-]+\/)+)callback\/$/,
    path: '/oidc/callback/',
    install: "pip install django mozilla-django-oidc 'python-dotenv[cli]'",
    run: 'python3 -m dotenv run -- python3 manage.py runserver {{port}}',
    files: [
      templateFile('settings.py', 'python', 'django-settings.py'),
      templateFile('urls.py', 'python', 'django-urls.py'),
      templateFile('sign_in.py', 'python', 'django-backend.py'),
    ],
  },
  {
    id: 'go-oidc',
    group: 'go',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: PLAIN_PATH,
    path: '/callback',
    install: 'go get github.com/coreos/go-oidc/v3 golang.org/x/oauth2',
    run: 'go run .',
    shellLoadsEnv: true,
    files: [templateFile('main.go', 'go', 'go-oidc.go')],
  },
  {
    id: 'spring',
    group: 'java',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?{}$]+\/login\/oauth2\/code\/(?<callbackId>[\w-]+)$/,
    path: '/login/oauth2/code/sesame',
    run: './mvnw spring-boot:run',
    shellLoadsEnv: true,
    files: [templateFile('application.yml', 'yaml')],
  },
  {
    id: 'league',
    group: 'php',
    for: CONFIDENTIAL,
    needs: [],
    callback: ANY_URI,
    path: '/callback',
    install: 'composer require league/oauth2-client',
    run: 'php -S localhost:{{port}} sign-in.php',
    shellLoadsEnv: true,
    files: [templateFile('sign-in.php', 'php', 'league.php')],
  },
  {
    id: 'aspnet',
    group: 'dotnet',
    for: CONFIDENTIAL,
    needs: ['openid'],
    // The library rebuilds the redirect URI from the request URL.
    callback: PLAIN_PATH,
    path: '/signin-oidc',
    install: 'dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect',
    run: 'dotnet run',
    shellLoadsEnv: true,
    files: [templateFile('Program.cs', 'csharp', 'aspnet.cs')],
  },
  {
    id: 'omniauth',
    group: 'ruby',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/auth\/(?<callbackId>[\w-]+)\/callback$/,
    path: '/auth/sesame/callback',
    run: 'bin/rails server -p {{port}}',
    shellLoadsEnv: true,
    files: [templateFile('omniauth.rb', 'ruby')],
  },
  {
    id: 'mod-auth-openidc',
    group: 'front',
    for: CONFIDENTIAL,
    needs: ['openid'],
    callback: /^https?:\/\/[^/?]+\/[^?]+$/,
    path: '/callback',
    environmentFile: '/etc/apache2/envvars',
    run: 'sudo a2enconf sesame\nsudo systemctl restart apache2',
    files: [templateFile('/etc/apache2/conf-available/sesame.conf', 'apache', 'mod-auth-openidc.conf')],
  },
  {
    id: 'oauth2-proxy',
    group: 'front',
    for: CONFIDENTIAL,
    needs: ['openid', 'email'],
    callback: /^https?:\/\/[^/?]+(?<proxyPrefix>\/[^?]+)\/callback$/,
    path: '/oauth2/callback',
    run: 'sh oauth2-proxy.sh',
    shellLoadsEnv: true,
    files: [templateFile('oauth2-proxy.sh', 'sh')],
  },
  {
    id: 'oidc-client-ts',
    group: 'page',
    for: PUBLIC,
    needs: ['openid'],
    callback: URL_WITHOUT_DOLLAR,
    path: '/',
    install: 'npm install oidc-client-ts@3 vite',
    run: 'npx vite --port {{port}}',
    files: [
      templateFile('main.js', 'js', 'oidc-client-ts.js'),
      templateFile('index.html', 'html', 'oidc-client-ts.html'),
    ],
  },
  {
    id: 'react-oidc-context',
    group: 'react',
    for: PUBLIC,
    needs: ['openid'],
    callback: URL_WITHOUT_DOLLAR,
    path: '/',
    install: 'npm install react-oidc-context@3 oidc-client-ts@3 react react-dom vite',
    run: 'npx vite --port {{port}}',
    files: [
      templateFile('main.jsx', 'js', 'react-oidc-context.jsx'),
      templateFile('index.html', 'html', 'react-oidc-context.html'),
    ],
  },
  {
    id: 'appauth-ios',
    group: 'ios',
    for: PUBLIC,
    needs: ['openid'],
    callback: PRIVATE_USE_URI,
    path: PRIVATE_USE_EXAMPLE,
    files: [templateFile('SignIn.swift', 'swift', 'appauth-ios.swift')],
  },
  {
    id: 'appauth-android',
    group: 'android',
    for: PUBLIC,
    needs: ['openid'],
    callback: PRIVATE_USE_URI,
    path: PRIVATE_USE_EXAMPLE,
    files: [
      templateFile('build.gradle.kts', 'kotlin', 'appauth-android.kts'),
      templateFile('SignInActivity.kt', 'kotlin', 'appauth-android.kt'),
    ],
  },
  {
    id: 'http',
    group: 'http',
    for: BOTH_TYPES,
    needs: [],
    callback: ANY_URI,
    path: '/callback',
    run: 'bash sign-in.sh',
    shellLoadsEnv: true,
    files: [templateFile('sign-in.sh', 'sh', 'curl.sh')],
  },
] as const satisfies readonly TemplateEntry[];

export type SnippetId = (typeof CLIENT_ENTRIES)[number]['id'];
export type ClientTemplate = TemplateEntry & { id: SnippetId };
export const CLIENT_TEMPLATES: readonly ClientTemplate[] = CLIENT_ENTRIES;

const API_ENTRIES = [
  { id: 'api-node', install: 'npm install jose@6', files: [templateFile('api.mjs', 'js', 'api-node.js')] },
  {
    id: 'api-mcp',
    install: 'npm install @modelcontextprotocol/sdk@1 jose@6',
    files: [templateFile('server.mjs', 'js', 'api-mcp.js')],
  },
  {
    id: 'api-mcp-python',
    install: "pip install 'mcp>=2'",
    files: [templateFile('server.py', 'python', 'api-mcp-python.py')],
  },
  {
    id: 'api-python',
    install: 'pip install authlib flask requests',
    files: [templateFile('api.py', 'python', 'api-python.py')],
  },
  {
    id: 'api-go',
    install: 'go get github.com/coreos/go-oidc/v3',
    files: [templateFile('main.go', 'go', 'api-go.go')],
  },
  { id: 'api-spring', files: [templateFile('ApiSecurity.java', 'java')] },
  { id: 'introspect', files: [templateFile('introspect.sh', 'sh')] },
] as const satisfies readonly Pick<TemplateEntry, 'id' | 'install' | 'files'>[];

export type ApiSnippetId = (typeof API_ENTRIES)[number]['id'];
export type ApiTemplate = Pick<TemplateEntry, 'install' | 'files'> & { id: ApiSnippetId };
export const API_TEMPLATES: readonly ApiTemplate[] = API_ENTRIES;
