// An OpenID Connect provider (oidc-provider) that signs users in without a page.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll } from 'vitest';
import type { IdentityProvider } from '../../src/oauth/identity-provider.ts';
import { sealProviderSecret } from '../../src/providers/configuration.ts';
import { insertProvider } from '../../src/store/identity-providers.ts';
import { providerRedirectUri } from '../../src/web/provider-state.ts';
import type { BrowserSession, Visit } from './browser-session.ts';
import { findFreePort } from './free-port.ts';
import type { TestService } from './service.ts';

export interface UpstreamUser {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  picture?: string;
}

export interface Upstream {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The user who signs in next. Undefined simulates a canceled sign-in. */
  user: UpstreamUser | undefined;
  requests: URLSearchParams[];
  close(): Promise<void>;
}

export const UPSTREAM_USER: UpstreamUser = {
  sub: 'upstream-1',
  email: 'ada@upstream.example',
  email_verified: true,
  name: 'Ada Upstream',
};

async function createSigningKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: 'upstream-1', use: 'sig' };
}

export async function startUpstream(baseUrl: string, providerId = 'upstream'): Promise<Upstream> {
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  const upstream: Upstream = {
    issuer,
    clientId: 'sesame',
    clientSecret: 'upstream-secret-of-at-least-32-characters',
    user: UPSTREAM_USER,
    requests: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: upstream.clientId,
        client_secret: upstream.clientSecret,
        redirect_uris: [providerRedirectUri(baseUrl, providerId)],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    cookies: { keys: ['upstream'] },
    features: { devInteractions: { enabled: false } },
    jwks: { keys: [await createSigningKey()] },
    ttl: Object.fromEntries(
      ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'].map((name) => [
        name,
        600,
      ]),
    ),
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ ...upstream.user, sub }),
    }),
    interactions: { url: () => '/interaction' },
    async loadExistingGrant({
      oidc: { session, client },
    }: {
      oidc: { session: { accountId: string }; client: { clientId: string } };
    }) {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    if (context.path === '/auth') upstream.requests.push(new URL(context.req.url ?? '', issuer).searchParams);
    if (context.path !== '/interaction') return next();
    const result = upstream.user ? { login: { accountId: upstream.user.sub } } : { error: 'access_denied' };
    const location = await provider.interactionResult(context.req, context.res, result);
    context.res.writeHead(303, { location }).end();
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return upstream;
}

export function useUpstream(
  service: TestService,
  fields: Partial<Omit<IdentityProvider, 'sealedSecret'>> = {},
): Upstream {
  const upstream = {} as Upstream;
  beforeAll(async () => {
    const started = await startUpstream(service.baseUrl, fields.providerId);
    Object.assign(upstream, started);
    Object.defineProperty(upstream, 'user', {
      get: () => started.user,
      set: (user) => {
        started.user = user;
      },
    });
    await addProvider(service, { ...upstream, ...fields });
  });
  afterAll(() => upstream.close?.());
  return upstream;
}

export async function addProvider(
  { services }: TestService,
  {
    clientSecret = 'secret',
    ...fields
  }: Partial<Omit<IdentityProvider, 'sealedSecret'>> & { issuer: string; clientSecret?: string },
): Promise<void> {
  const isAdded = await insertProvider(services.database, {
    ...pickSettings(fields),
    issuer: fields.issuer,
    createdAt: services.now(),
    sealedSecret: sealProviderSecret(services.sealer, clientSecret),
  });
  if (!isAdded) throw new Error(`the provider ${fields.issuer} already exists`);
}

const pickSettings = ({
  providerId = 'upstream',
  preset = 'oidc',
  name = 'Upstream',
  clientId = 'sesame',
  options = {},
  trustedEmailDomains = [],
}: Partial<IdentityProvider>) => ({ providerId, preset, name, clientId, options, trustedEmailDomains });

/**
 * Follows redirects until a page is shown.
 * @param options.until path of the page at which to stop, without opening it
 */
export async function followThroughProvider(
  browser: BrowserSession,
  visit: Visit,
  { until }: { until?: string } = {},
): Promise<Visit> {
  let current = visit;
  while (
    current.location !== undefined &&
    current.location.pathname !== until &&
    ['127.0.0.1', 'localhost'].includes(current.location.hostname)
  )
    current = await browser.get(current.location);
  return current;
}

export const signInThroughProvider = async (
  browser: BrowserSession,
  { providerId = 'upstream', query = '' } = {},
): Promise<Visit> =>
  followThroughProvider(browser, await browser.get(`/signin/provider/${providerId}${query}`));
