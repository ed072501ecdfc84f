// …/applications/:client_id/try-it: a test sign-in, which shows the claims but not the tokens.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { revokeTestSignInConsent } from '../../accounts/consent.ts';
import { mayStartTestSignIn } from '../../accounts/rate-limits.ts';
import { exchangeAuthorizationCode } from '../../grants/authorization-code.ts';
import type { TokenResponse } from '../../grants/issue-tokens.ts';
import { readQuery } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import { isHeadRequest } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import { AuthorizationError, checkAuthorizationRequest } from '../../oauth/authorization-request.ts';
import { buildUserinfoClaims } from '../../oauth/claims.ts';
import type { PresentedCredentials } from '../../oauth/client-authentication.ts';
import { accessTokenDigest } from '../../oauth/digests.ts';
import { notFound, OAuthError } from '../../oauth/errors.ts';
import { PENDING_REQUEST_TTL } from '../../oauth/lifetimes.ts';
import { parseParameters } from '../../oauth/parameters.ts';
import { computeCodeChallenge } from '../../oauth/pkce.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { randomSecret } from '../../oauth/secrets.ts';
import {
  buildTestSignInRedirectUri,
  TEST_SIGN_IN_REDIRECT_PATH,
  toTestSignInClient,
} from '../../oauth/test-sign-in.ts';
import { type CodePayload, openCode, openRefreshToken } from '../../oauth/token-payload.ts';
import { decodeTokenPayload } from '../../oauth/unverified-token.ts';
import { findAccessTokenUser } from '../../store/access-tokens.ts';
import { revokeTestSignInGrant } from '../../store/grants.ts';
import { findOwnedClient, type OwnedClient } from '../../store/owned-clients.ts';
import { recordTokenUse } from '../../store/used-tokens.ts';
import { readFlash, writeFlash } from '../../web/flash.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { avatarUrl } from '../../web/html/pictures.ts';
import { findBrowserContext, pendingUrl, sealForBrowser } from '../../web/pending-requests.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { APPLICATIONS_URL, applicationUrl } from './layout.ts';
import { requireOwnedClient } from './sections.ts';
import { type TestSignInResult, testSignInView } from './test-sign-in-view.ts';

/** Payload of the sealed `state` parameter. */
interface TestSignIn {
  clientId: string;
  userId: string;
  /** The session that started the test. If the response has a code, the code's session is checked instead. */
  sid: string;
  /** When the test expires, in milliseconds since 1970. */
  until: number;
  /** If true, the consent is revoked at the end of the test. */
  isFirstConsent: boolean;
  /** The test adds these scopes to an existing consent, and removes them at the end. */
  addedScopes: string[];
  /** Makes the state unique and seeds the PKCE verifier. */
  nonce: string;
}

export function testSignInPages(area: FastifyInstance, services: Services): void {
  const { config, database, sealer, now } = services;
  const redirectUri = buildTestSignInRedirectUri(config.baseUrl);

  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/try-it`,
    loadSubject: (request) => requireOwnedClient(request, services),
    parse: () => ({}),
    validate: ({ subject: { suspended } }) =>
      suspended ? [{ text: ({ applications }) => applications.suspended }] : [],
    async act({ request, reply, subject: application }) {
      const { userId, sid } = signedInUser(request);
      const startedAt = now().getTime();
      if (!(await mayStartTestSignIn(services, userId, now())))
        return { status: 429, errors: [TOO_MANY_TESTS] };
      const { clientId, scopes } = application;
      const until = startedAt + PENDING_REQUEST_TTL * 1000;
      const facts = await findBrowserContext(request, services, clientId, []);
      const isFirstConsent = facts?.epoch === null;
      const addedScopes = scopes.filter((scope) => !facts?.consentedScopes.includes(scope));
      const consent = { isFirstConsent, addedScopes };
      const testSignIn: TestSignIn = { clientId, userId, sid, until, ...consent, nonce: randomSecret() };
      const parameters = new URLSearchParams({
        ...{ response_type: 'code', redirect_uri: redirectUri, scope: scopes.join(' ') },
        ...{ state: sealer.sealJson('test-sign-in', testSignIn), nonce: randomSecret() },
        ...{
          code_challenge: computeCodeChallenge(deriveVerifier(testSignIn)),
          code_challenge_method: 'S256',
        },
      });
      try {
        const checked = checkAuthorizationRequest(
          parseParameters(parameters.toString()),
          toTestSignInClient(application, config.baseUrl),
        );
        if (checked === 'unregisteredRedirectUri')
          throw new Error('the redirect URI of the test sign-in was rejected');
        // Only the owner's account can continue the request.
        const pending = {
          request: { ...checked, hintedUserId: userId },
          startedAt,
          consentUserId: undefined,
        };
        return pendingUrl(
          '/oauth/authorize',
          sealForBrowser(reply, services, { ...pending, isTestSignIn: true }),
        );
      } catch (error) {
        if (!(error instanceof AuthorizationError)) throw error;
        return { errors: [{ text: () => error.oauthError.description }] };
      }
    },
    render: ({ request, subject: application }) => ({
      title: ({ integrate }) => integrate.testSignIn.title(application.name),
      main: (form) => testSignInView({ ...form, application, user: signedInUser(request) }),
    }),
  });

  area.get(TEST_SIGN_IN_REDIRECT_PATH, async (request, reply) => {
    const response = readQuery(request);
    const user = signedInUser(request);
    const testSignIn = sealer.openJson<TestSignIn>('test-sign-in', response.get('state'));
    if (testSignIn?.userId !== user.userId || isHeadRequest(request)) throw notFound();
    const application = await findOwnedClient(database, user.userId, testSignIn.clientId);
    if (application === undefined) throw notFound();
    const result = await finishTestSignIn(request, testSignIn, application, response);
    // The redirect removes the code and the state from the URL.
    const url = applicationUrl(application.clientId, 'try-it/result');
    if (writeFlash(reply, services, url, { result })) return reply.redirect(url, 303);
    // The claims don't fit into a cookie.
    return showResult(request, reply, application, result);
  });

  area.get(`${APPLICATIONS_URL}/:client_id/try-it/result`, async (request, reply) => {
    const application = await requireOwnedClient(request, services);
    const flash = readFlash<{ result: TestSignInResult }>(reply, services);
    if (flash === undefined) return reply.redirect(applicationUrl(application.clientId, 'try-it'), 303);
    return showResult(request, reply, application, flash.result);
  });

  function showResult(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnedClient,
    result: TestSignInResult,
  ) {
    const user = signedInUser(request);
    return reply.page({
      title: ({ integrate }) => integrate.testSignIn.title(application.name),
      main: (messages) =>
        testSignInView({ messages, csrf: user.csrf, errors: [], application, user, result }),
    });
  }

  async function finishTestSignIn(
    request: FastifyRequest,
    testSignIn: TestSignIn,
    application: OwnedClient,
    response: ReturnType<typeof readQuery>,
  ): Promise<TestSignInResult> {
    const { userId, until, nonce } = testSignIn;
    const sealedCode = response.get('code') ?? '';
    const code = openCode(sealer, sealedCode);
    // If the owner signed in again, the code contains the new session.
    if ((code?.sid ?? testSignIn.sid) !== signedInUser(request).sid) return 'over';
    const token = { userId, key: hash('sha256', `test sign-in ${nonce}`, 'buffer'), until: new Date(until) };
    if (!(await recordTokenUse(database, token))) return 'over';
    try {
      if (until <= now().getTime()) return 'over';
      const error = response.get('error');
      if (error !== undefined) return { error, description: response.get('error_description') ?? '' };
      return await redeemTestCode(testSignIn, application, sealedCode);
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      return { error: thrown.error, description: thrown.description };
    } finally {
      await undoConsent(request, testSignIn, code);
    }
  }

  /** Keeps the consent if the application has another live grant. */
  async function undoConsent(
    request: FastifyRequest,
    testSignIn: TestSignIn,
    code: CodePayload | undefined,
  ): Promise<void> {
    const { userId, clientId, isFirstConsent: isFirst, addedScopes, until } = testSignIn;
    if (code?.userId !== userId || code.clientId !== clientId || code.redirectUri !== redirectUri) return;
    const { grantId } = code;
    // The consent page gives the code and the consent the same timestamp. Codes issued elsewhere match no consent.
    const givenAt = new Date(code.issuedAt);
    const startedAt = new Date(until - PENDING_REQUEST_TTL * 1000);
    const consent = { userId, clientId, startedAt, givenAt, grantId, isFirst, addedScopes };
    await revokeTestSignInConsent(database, { ...consent, ip: clientNetwork(request) }, now());
  }

  /** The tokens never leave this function. */
  async function redeemTestCode(
    testSignIn: TestSignIn,
    application: OwnedClient,
    code: string,
  ): Promise<TestSignInResult> {
    const form = new URLSearchParams({
      code,
      redirect_uri: redirectUri,
      code_verifier: deriveVerifier(testSignIn),
    });
    const credentials = testSignInCredentials(application);
    const tokens = await exchangeAuthorizationCode(
      // The application receives no claims, so no disclosure is recorded.
      { ...services, usage: { recordDisclosure() {} } },
      { form: parseParameters(form.toString()), credentials, now: now() },
    );
    const { userId, grantId } = openRefreshToken(sealer, tokens.refresh_token ?? '') ?? failWithoutGrant();
    try {
      return {
        idToken: tokens.id_token && decodeTokenPayload(tokens.id_token),
        scopes: tokens.scope?.split(' ') ?? [],
        userinfo: await readUserinfo(userId, tokens),
      };
    } finally {
      await revokeTestSignInGrant(database, { userId, grantId }, now());
    }
  }

  async function readUserinfo(userId: string, tokens: TokenResponse) {
    const holder = await findAccessTokenUser(database, userId, accessTokenDigest(tokens.access_token), now());
    if (holder === undefined) throw notFound();
    const { scope, standard } = holder;
    try {
      return buildUserinfoClaims(holder, parseScope(scope), standard, avatarUrl(config.baseUrl, holder));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return { error: error.error, error_description: error.description };
    }
  }

  const deriveVerifier = ({ clientId, userId, nonce }: TestSignIn): string =>
    sealer.mac('test-sign-in', clientId, userId, nonce).toString('base64url');
}

const failWithoutGrant = (): never => {
  throw new Error('The test sign-in returned no refresh token.');
};

const TOO_MANY_TESTS: ValidationError = { text: ({ integrate }) => integrate.testSignIn.tooMany };

/**
 * Lets the service act as the client without a secret. Security-critical: callers must check that the user
 * owns the client.
 */
const testSignInCredentials = ({ clientId, type }: OwnedClient): PresentedCredentials => ({
  clientId,
  secretHash: null,
  asserted: type === 'confidential',
  triedBasic: false,
  explainFailure: () => ({ kind: 'client_unknown' }),
});
