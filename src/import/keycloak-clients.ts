// Converts the clients of a Keycloak realm export to client records.
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import type { ClientRecordInput } from './client-record.ts';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const texts = z.array(z.string()).nullish();

export const keycloakClientSchema = z.object({
  clientId: z.string().min(1).max(500),
  name: text,
  protocol: text,
  enabled: flag,
  secret: text,
  clientAuthenticatorType: text,
  rootUrl: text,
  baseUrl: text,
  redirectUris: texts,
  publicClient: flag,
  bearerOnly: flag,
  standardFlowEnabled: flag,
  implicitFlowEnabled: flag,
  directAccessGrantsEnabled: flag,
  serviceAccountsEnabled: flag,
  frontchannelLogout: flag,
  attributes: z.record(z.string(), z.string().nullable()).nullish(),
  defaultClientScopes: texts,
  optionalClientScopes: texts,
  protocolMappers: z.array(z.object({ name: z.string() })).nullish(),
});
export type KeycloakClient = z.infer<typeof keycloakClientSchema>;

export type Conversion =
  | { record: ClientRecordInput; notes: string[] }
  | { skipped: string }
  | { refused: string };

/** Keycloak creates these clients in every realm. */
const INTERNAL_CLIENTS = new Set([
  'account',
  'account-console',
  'admin-cli',
  'admin-permissions',
  'broker',
  'realm-management',
  'security-admin-console',
  'security-admin-console-v2',
]);

/** Keycloak's own client scopes. Only those in `SCOPE_NAMES` have an equivalent in this service. */
const BUILT_IN_SCOPES = new Set([
  ...['acr', 'address', 'basic', 'email', 'microprofile-jwt', 'offline_access', 'organization', 'phone'],
  ...['profile', 'roles', 'service_account', 'web-origins'],
]);
const SCOPE_NAMES = ['profile', 'email', 'phone'];

export function convertKeycloakClient(client: KeycloakClient): Conversion {
  const { clientId, attributes, rootUrl, publicClient, serviceAccountsEnabled: isServiceAccount } = client;
  const getAttribute = (name: string) => attributes?.[name] || undefined;
  if (INTERNAL_CLIENTS.has(clientId) || getAttribute('realm_client') === 'true')
    return { skipped: "Keycloak's own client" };
  if ((client.protocol ?? 'openid-connect') !== 'openid-connect')
    return { refused: `The protocol ${quote(client.protocol ?? '')} is not supported.` };
  if (client.bearerOnly)
    return { refused: 'It is a bearer-only client, which gets no tokens. Register it as an API.' };
  const usesCode = client.standardFlowEnabled ?? true;
  const allowsDevice = getAttribute('oauth2.device.authorization.grant.enabled') === 'true';
  if (!usesCode && !isServiceAccount && !allowsDevice)
    return { refused: 'It uses only the implicit or the password grant, which are not supported.' };

  const redirectUris = usesCode ? (client.redirectUris ?? []).map((uri) => resolveUri(uri, rootUrl)) : [];
  const scopes = [...(client.defaultClientScopes ?? []), ...(client.optionalClientScopes ?? [])];
  const isPublic = publicClient ?? false;
  const algorithm = getAttribute('id.token.signed.response.alg') ?? 'RS256';
  return {
    record: {
      client_id: clientId,
      name: isPlainText(client.name) ? client.name : clientId,
      type: isPublic ? 'public' : 'confidential',
      redirect_uris: redirectUris,
      scopes: ['openid', ...SCOPE_NAMES.filter((name) => scopes.includes(name))],
      standard: true,
      home_page: resolveLink(client.baseUrl, rootUrl),
      privacy_policy: resolveLink(getAttribute('policyUri')),
      terms_of_service: resolveLink(getAttribute('tosUri')),
      id_token_algorithm: SIGNING_ALGORITHMS.find((name) => name === algorithm) ?? 'RS256',
      par_required: getAttribute('require.pushed.authorization.requests') === 'true',
      pkce_required: getAttribute('pkce.code.challenge.method') === 'S256',
      device_flow: allowsDevice,
      post_logout_redirect_uris: parsePostLogoutUris(
        getAttribute('post.logout.redirect.uris'),
        redirectUris,
        rootUrl,
      ),
      backchannel_logout_uri: getAttribute('backchannel.logout.url') ?? null,
      jwks: isPublic ? undefined : parseJwks(getAttribute('jwks.string')),
      suspended: client.enabled === false,
      ...(!isPublic && isSecret(client.secret) && { client_secret: client.secret }),
    },
    notes: describeOmissions(client, algorithm, scopes),
  };
}

function describeOmissions(client: KeycloakClient, algorithm: string, scopes: readonly string[]): string[] {
  const notes: string[] = [];
  const noteIf = (condition: unknown, description: string) => condition && notes.push(description);
  const customScopes = [...new Set(scopes)].filter((scope) => !BUILT_IN_SCOPES.has(scope));
  const mappers = (client.protocolMappers ?? []).map(({ name }) => name);
  noteIf(client.implicitFlowEnabled, 'The implicit grant is not supported.');
  noteIf(client.directAccessGrantsEnabled, 'The password grant is not supported.');
  noteIf(client.frontchannelLogout, 'Front-channel logout is not supported.');
  noteIf(
    !SIGNING_ALGORITHMS.some((name) => name === algorithm),
    `ID tokens are signed with RS256 instead of ${quote(algorithm)}.`,
  );
  noteIf(customScopes.length > 0, `Client scopes left out: ${formatNames(customScopes)}.`);
  noteIf(mappers.length > 0, `Protocol mappers left out: ${formatNames(mappers)}.`);
  noteIf(
    client.attributes?.['pkce.code.challenge.method'] === 'plain',
    'PKCE with the method "plain" is not supported.',
  );
  noteIf(
    ['client-jwt', 'client-secret-jwt', 'client-x509'].includes(client.clientAuthenticatorType ?? '') &&
      !client.attributes?.['jwks.string'],
    `The client authenticates with ${quote(client.clientAuthenticatorType ?? '')}. Add its public keys: sesame apps update --jwks`,
  );
  noteIf(!client.publicClient && /^\*+$/.test(client.secret ?? ''), 'The export masks the client secret.');
  return notes;
}

/** Keycloak resolves a relative URI against the client's root URL. */
const resolveUri = (uri: string, rootUrl: string | null | undefined): string =>
  uri.startsWith('/') && isPlainText(rootUrl) ? rootUrl.replace(/\/+$/, '') + uri : uri;

/** URIs are separated by `##`. `+` means the client's redirect URIs, and `-` means none. */
function parsePostLogoutUris(
  value: string | undefined,
  redirectUris: readonly string[],
  rootUrl: string | null | undefined,
): string[] {
  const entries = (value ?? '').split('##').filter((entry) => entry !== '' && entry !== '-');
  return entries.flatMap((entry) => (entry === '+' ? redirectUris : [resolveUri(entry, rootUrl)]));
}

function resolveLink(url: string | null | undefined, rootUrl?: string | null): string | null {
  const resolved = resolveUri(url ?? '', rootUrl);
  return isPlainText(resolved) && /^https?:/.test(resolved) ? resolved : null;
}

function parseJwks(jwks: string | undefined): unknown {
  try {
    return jwks === undefined ? undefined : JSON.parse(jwks);
  } catch {
    return undefined;
  }
}

/** Exports contain asterisks instead of secrets, or a placeholder for a secret in a vault. */
const isSecret = (secret: string | null | undefined): secret is string =>
  isPlainText(secret) && !/^\*+$/.test(secret);

const isPlainText = (value: string | null | undefined): value is string => !!value && !value.includes('${');

const MAX_LISTED_NAMES = 10;
const quote = (value: string): string => JSON.stringify(value.slice(0, 100));
const formatNames = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED_NAMES).map(quote).join(', ') + (names.length > MAX_LISTED_NAMES ? ', …' : '');
