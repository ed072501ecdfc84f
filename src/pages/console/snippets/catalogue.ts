// The code that an application or an API may copy, filled for it: which libraries fit, and the values of their templates.

import type { Client } from '../../../oauth/client.ts';
import { challengeOf, metadataAddressOf } from '../../../oauth/protected-resource.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import { render } from '../../../web/html/html.ts';
import { signInButton } from '../../../web/html/signin-button.ts';
import { fill, type Language } from './fill.ts';
import {
  API_TEMPLATES,
  type ApiSnippetId,
  type ApiTemplate,
  type Group,
  type SnippetId,
  TEMPLATES,
  type Template,
} from './templates.ts';

export interface IntegratedClient extends Client {
  idTokenAlgorithm?: string;
}

interface Filled {
  install: string | undefined;
  files: { name: string; language: Language; text: string }[];
}

export interface Snippet extends Filled {
  id: SnippetId;
  group: Group;
  /** What starts it with what is in .env. */
  run: string | undefined;
  /** Scopes that it cannot do without, and the application doesn't have. */
  lacking: Scope[];
  callback: string;
  /** Whether the application has registered that; something like it is made up when nothing registered would work. */
  isRegistered: boolean;
}

export interface ApiSnippet extends Filled {
  id: ApiSnippetId;
}

export interface Service {
  issuer: string;
  serviceName: string;
}

/**
 * The snippets for an application's type, filled for it. The secret is never among the values: every snippet takes it
 * from the environment.
 */
export const snippetsFor = (application: IntegratedClient, service: Service): Snippet[] =>
  TEMPLATES.filter((template) => template.for.includes(application.type)).map((template) =>
    snippetOf(template, application, service),
  );

/** The command that the first line of a file begins with. */
const INSTALL =
  /(?<=^\W{2,3}|^<\?php\n\W{3})(?:npm install|pip install|go get|composer require|dotnet add package) [^,\n]+/;

function snippetOf(template: Template, application: IntegratedClient, service: Service): Snippet {
  const registered = application.redirectUris.find((uri) => template.callback.test(uri));
  const callback = registered ?? suggestion(template, application);
  const values = {
    ...valuesFor(application, service),
    ...callbackValues(callback),
    ...template.callback.exec(callback)?.groups,
  };
  const { id, group } = template;
  const lacking = template.needs.filter((scope) => !application.scopes.includes(scope));
  const run = template.run && fill(template.run, 'sh', values);
  const isRegistered = registered !== undefined;
  return { id, group, ...filled(template, values), run, lacking, callback, isRegistered };
}

/** An API as its code has to know it. */
export interface ProtectedApi {
  apiId: string;
  identifier: string;
  scopes: readonly string[];
}

const EXAMPLE_SCOPE = 'read';

/** The scopes that an API's code is filled with: its first one is what every call needs. */
export const scopesOf = ({ scopes }: ProtectedApi): readonly string[] =>
  scopes.length === 0 ? [EXAMPLE_SCOPE] : scopes;

/** The code for an API, filled for it: access tokens have to be for this API, and signed here. */
export function apiSnippetsFor(api: ProtectedApi, { issuer }: Pick<Service, 'issuer'>): ApiSnippet[] {
  const { apiId, identifier } = api;
  const scopes = scopesOf(api);
  const [scope = EXAMPLE_SCOPE] = scopes;
  const { host, hostname, pathname } = new URL(identifier);
  const metadataAddress = metadataAddressOf(identifier);
  const values = {
    issuer,
    audience: identifier,
    apiId,
    apiPort: portOf(identifier, '8081'),
    apiAuthority: host,
    apiHost: hostname,
    apiPath: pathname,
    metadataAddress,
    metadataPath: new URL(metadataAddress).pathname,
    challenge: challengeOf(identifier, [scope]),
    scope,
    scopes: scopes.join(' '),
  };
  return API_TEMPLATES.map((template) => ({ id: template.id, ...filled(template, values) }));
}

function filled(template: Pick<ApiTemplate, 'files'>, values: Record<string, string>): Filled {
  const files = template.files.map(({ name, language, template: text }) => ({
    name,
    language,
    text: fill(text, language, values),
  }));
  return { install: INSTALL.exec(files[0]?.text ?? '')?.[0], files };
}

/** What the template can work with, where nothing that is registered is. */
function suggestion({ path }: Template, { redirectUris }: Client): string {
  const web = redirectUris.find((uri) => /^https?:/.test(uri));
  return `${web === undefined ? 'https://application.example' : new URL(web).origin}${path}`;
}

/** Where a process listens that an address leads to; one with https has a proxy in front, on another port. */
function portOf(address: string, otherwise: string): string {
  const { protocol, port } = new URL(address);
  return protocol === 'http:' ? port || '80' : otherwise;
}

function callbackValues(callback: string): Record<string, string> {
  const port = portOf(callback, '8080');
  return {
    callback,
    callbackPath: new URL(callback).pathname,
    callbackEncoded: encodeURIComponent(callback).replaceAll("'", '%27'),
    port,
    proxyAddress: `127.0.0.1:${port}`,
    upstreamPort: port === '9000' ? '9001' : '9000', // what stands behind a proxy cannot listen where the proxy does
  };
}

function valuesFor(
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
