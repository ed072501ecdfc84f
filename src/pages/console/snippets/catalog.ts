// Selects and fills in the sample code for a client or an API.

import type { Client } from '../../../oauth/client.ts';
import { buildBearerChallenge, buildMetadataUrl } from '../../../oauth/resource-metadata.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import { render } from '../../../web/html/html.ts';
import { signInButton } from '../../../web/html/signin-button.ts';
import { fillTemplate, type Language } from './fill.ts';
import {
  API_TEMPLATES,
  type ApiSnippetId,
  type ApiTemplate,
  CLIENT_TEMPLATES,
  type ClientTemplate,
  type SnippetGroup,
  type SnippetId,
} from './templates.ts';

export interface IntegratedClient extends Client {
  idTokenAlgorithm?: string;
}

interface FilledTemplate {
  install: string | undefined;
  files: { name: string; language: Language; text: string }[];
}

export interface Snippet extends FilledTemplate {
  id: SnippetId;
  group: SnippetGroup;
  environmentFile: string | undefined;
  runCommand: string | undefined;
  /** The library requires these scopes, but the client hasn't registered them. */
  missingScopes: Scope[];
  redirectUri: string;
  /** If false, `redirectUri` is a suggestion because the library supports no registered URI. */
  isRedirectUriRegistered: boolean;
}

export interface ApiSnippet extends FilledTemplate {
  id: ApiSnippetId;
}

export interface Service {
  issuer: string;
  serviceName: string;
}

/** The sample code reads the client secret from the environment. */
export const buildClientSnippets = (application: IntegratedClient, service: Service): Snippet[] =>
  CLIENT_TEMPLATES.filter((template) => template.for.includes(application.type)).map((template) =>
    buildSnippet(template, application, service),
  );

const LOAD_ENV_COMMAND = 'set -a; . ./.env; set +a\n';

function buildSnippet(template: ClientTemplate, application: IntegratedClient, service: Service): Snippet {
  const registered = application.redirectUris.find((uri) => template.callback.test(uri));
  const redirectUri = registered ?? suggestedRedirectUri(template, application);
  const values = {
    ...templateValues(application, service),
    ...callbackValues(redirectUri),
    ...template.callback.exec(redirectUri)?.groups,
  };
  const { id, group } = template;
  const missingScopes = template.needs.filter((scope) => !application.scopes.includes(scope));
  const { environmentFile, run, shellLoadsEnv } = template;
  const loadsEnv = shellLoadsEnv && application.type === 'confidential';
  const runCommand = run && fillTemplate(`${loadsEnv ? LOAD_ENV_COMMAND : ''}${run}`, 'sh', values);
  const isRedirectUriRegistered = registered !== undefined;
  return {
    id,
    group,
    ...fillFiles(template, values),
    environmentFile,
    runCommand,
    missingScopes,
    redirectUri,
    isRedirectUriRegistered,
  };
}

export interface ProtectedApi {
  apiId: string;
  identifier: string;
  scopes: readonly string[];
}

const EXAMPLE_SCOPE = 'read';

export function buildApiSnippets(api: ProtectedApi, { issuer }: Pick<Service, 'issuer'>): ApiSnippet[] {
  const { apiId, identifier } = api;
  const scopes = api.scopes.length === 0 ? [EXAMPLE_SCOPE] : api.scopes;
  const [scope = EXAMPLE_SCOPE] = scopes;
  const { host, hostname, pathname } = new URL(identifier);
  const metadataUrl = buildMetadataUrl(identifier);
  const values = {
    issuer,
    audience: identifier,
    apiId,
    apiPort: chooseLocalPort(identifier, '8081'),
    apiAuthority: host,
    apiHost: hostname,
    apiPath: pathname,
    metadataAddress: metadataUrl,
    metadataPath: new URL(metadataUrl).pathname,
    challenge: buildBearerChallenge(identifier, [scope]),
    scope,
    scopes: scopes.join(' '),
  };
  return API_TEMPLATES.map((template) => ({ id: template.id, ...fillFiles(template, values) }));
}

function fillFiles(
  template: Pick<ApiTemplate, 'install' | 'files'>,
  values: Record<string, string>,
): FilledTemplate {
  const files = template.files.map(({ name, language, template: text }) => ({
    name,
    language,
    text: fillTemplate(text, language, values),
  }));
  return { install: template.install, files };
}

function suggestedRedirectUri({ path }: ClientTemplate, { redirectUris }: Client): string {
  if (!path.startsWith('/')) return path;
  const web = redirectUris.find((uri) => /^https?:/.test(uri));
  return `${web === undefined ? 'https://application.example' : new URL(web).origin}${path}`;
}

/** An https server listens on `defaultPort` because a proxy terminates TLS. */
function chooseLocalPort(url: string, defaultPort: string): string {
  const { protocol, port } = new URL(url);
  return protocol === 'http:' ? port || '80' : defaultPort;
}

function callbackValues(callback: string): Record<string, string> {
  const port = chooseLocalPort(callback, '8080');
  return {
    callback,
    callbackPath: new URL(callback).pathname,
    callbackEncoded: encodeURIComponent(callback).replaceAll("'", '%27'),
    port,
    proxyAddress: `127.0.0.1:${port}`,
    // Must differ from the proxy's port.
    upstreamPort: port === '9000' ? '9001' : '9000',
  };
}

function templateValues(
  { clientId, scopes, standard, type, idTokenAlgorithm = 'RS256' }: IntegratedClient,
  { issuer, serviceName }: Service,
): Record<string, string> {
  const secret = type === 'confidential';
  return {
    issuer,
    serviceName,
    clientId,
    idTokenAlgorithm,
    scope: scopes.join(' '),
    scopePlus: scopes.join('+'),
    scopeByComma: scopes.join(','),
    pictureClaim: standard ? 'picture' : 'avatar',
    secretField: secret ? ' --data-urlencode "client_secret=$CLIENT_SECRET"' : '',
    secretNote: secret ? ', with CLIENT_SECRET in the environment.' : '. A public application has no secret.',
    button: render(signInButton({ baseUrl: issuer, serviceName })),
  };
}
