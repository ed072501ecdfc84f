// Creates an account for an identity, copies its picture and signs the user in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { copyPicture } from '../../credentials/identity-sign-up.ts';
import { findStartedSession, startSession } from '../../credentials/session-start.ts';
import { signUp } from '../../credentials/sign-up.ts';
import { withoutSlot } from '../../http/overload.ts';
import type { Services } from '../../http/services.ts';
import { getIdentityLabel } from '../../oauth/identity-provider.ts';
import { emailKey } from '../../store/emails.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import { addKnownBrowser } from '../../web/known-browsers.ts';
import { attemptContext, finishLogin, signInContext } from '../../web/login.ts';
import type { ReturnTo } from '../../web/return-to.ts';
import type { IdentitySignUp } from './identity-sign-up-link.ts';

/**
 * Creates an account without a password, links the identity and starts a session. A repeated submission finds
 * the first session. If both submissions run in different processes at once, the second leads to sign-in.
 * @returns the response, or why there is no session. For `identityRefused`, the identity is already linked,
 * its provider is disabled, or the user signed out after an earlier submission.
 */
export async function createIdentityAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  {
    profile,
    name,
    email,
    locale,
    verified,
    returnTo,
  }: IdentitySignUp & {
    /** Whether the email address is known to belong to the user. */
    verified: boolean;
    returnTo: ReturnTo;
  },
): Promise<(() => FastifyReply) | 'taken' | 'unverified' | 'identityRefused'> {
  const { issuer, subject, providerId, picture } = profile;
  const token = singleUseFormToken(request, services, email);
  const context = { ...signInContext(request), seed: token.seed };
  const registration = { name, email, passwordHash: null, emailVerified: verified, locale };
  const identity = { issuer, subject, providerId };
  // Concurrent sign-ups with the same email address wait here without a database connection.
  const session = await services.attempts.perAccount(
    `sign-up ${emailKey(email)}`,
    attemptContext(request, services).withoutSlot,
    async () => {
      const newIdentity = { ...identity, label: getIdentityLabel(profile) };
      const account = await signUp(
        services,
        registration,
        { ip: context.ip, token },
        services.now(),
        newIdentity,
      );
      if (account.outcome !== 'created') return account.outcome;
      const { userId } = account;
      // Start no session because the user may have signed out after the first submission.
      if (account.isRepeat) return findStartedSession(services, userId, context, services.now());
      const proof = { by: 'provider', identity, rememberedDevices: [], allFactorsAt: null } as const;
      return startSession(
        services,
        { userId, proof, methods: ['idp'] },
        context,
        services.now(),
        'signed_up',
      );
    },
  );
  if (session === undefined) return 'identityRefused';
  if (typeof session === 'string') return session;
  addKnownBrowser(reply, services, session, 'account');
  if (picture !== undefined && !session.isRepeat)
    await tryToCopyPicture(request, services, session.userId, picture);
  return () => finishLogin(reply, session, returnTo);
}

async function tryToCopyPicture(
  request: FastifyRequest,
  services: Services,
  userId: string,
  url: string,
): Promise<void> {
  const { ip } = signInContext(request);
  try {
    await withoutSlot(request, (outsideLimit) =>
      copyPicture(services, { userId, ip, url }, outsideLimit, services.now()),
    );
  } catch (error) {
    request.log.info({ err: error }, 'could not copy the picture from the identity provider');
  }
}
