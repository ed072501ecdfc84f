// The code that an application may copy, filled for it: which libraries fit, and the values of their templates.

import type { Client } from '../../../oauth/client.ts';
import type { Scope } from '../../../oauth/scopes.ts';
import { render } from '../../../web/html/html.ts';
import { signInButton } from '../../../web/html/signin-button.ts';
import { fill, type Language } from './fill.ts';
import { type Group, type SnippetId, TEMPLATES, type Template } from './templates.ts';

export type { SnippetId };

/** An application as its code has to know it. */
export interface IntegratedClient extends Client {
  idTokenAlgorithm?: string;
}

/** Code for one library, filled for one application. */
export interface Snippet {
  id: SnippetId;
  group: Group;
  /** What installs it, where its file says so. */
  install: string | undefined;
  files: { name: string; language: Language; text: string }[];
  /** What it is filled with: a callback URL, or for an API the resource that access tokens have to be for. */
  filledWith: 'callback' | 'resource';
  value: string;
  /** Whether the application has registered that; something like it is made up when nothing registered would work. */
  isRegistered: boolean;
}

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
  application: IntegratedClient,
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

/** The command that the first line of a file begins with. */
const INSTALL =
  /(?<=^\W{2,3}|^<\?php\n\W{3})(?:npm install|pip install|go get|composer require|dotnet add package) [^,\n]+/;

function snippetOf(template: Template, application: IntegratedClient, service: Service): Snippet {
  const filledWith = template.callback === undefined ? 'resource' : 'callback';
  const registered = registeredFor(template, application);
  const value = registered ?? suggestion(template, application);
  const values = {
    ...valuesFor(application, service),
    ...(filledWith === 'callback' ? callbackValues(value) : resourceValues(value)),
    ...template.callback?.exec(value)?.groups,
  };
  const files = template.files.map(({ name, language, template: text }) => ({
    name,
    language,
    text: fill(text, language, values),
  }));
  return {
    id: template.id,
    group: template.group,
    install: INSTALL.exec(files[0]?.text ?? '')?.[0],
    files,
    filledWith,
    value,
    isRegistered: registered !== undefined,
  };
}

/** The first of what the application registered that the template can work with. */
const registeredFor = (
  { callback }: Template,
  { redirectUris, resources = [] }: Client,
): string | undefined =>
  callback === undefined ? resources[0] : redirectUris.find((uri) => callback.test(uri));

/** What the template can work with, beside what is registered. */
function suggestion({ callback, path }: Template, { redirectUris }: Client): string {
  if (callback === undefined) return 'https://api.example.com';
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

const resourceValues = (audience: string): Record<string, string> => ({
  audience,
  apiPort: portOf(audience, '8081'),
});

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
    scopeBesideOpenid: scopes.filter((scope) => scope !== 'openid').join(' '),
    pictureClaim: standard ? 'picture' : 'avatar',
    secretField: secret ? ' --data-urlencode "client_secret=$CLIENT_SECRET"' : '',
    secretNote: secret ? ', with CLIENT_SECRET in the environment.' : '. A public application has no secret.',
    button: render(signInButton({ baseUrl: issuer, serviceName })),
  };
}
