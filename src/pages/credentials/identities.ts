// /account/security/identities/…: links and unlinks identities from other providers.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { linkOwnIdentity, removeOwnIdentity } from '../../credentials/linked-identities.ts';
import { getRelyingParty } from '../../credentials/webauthn.ts';
import { readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { accessDenied } from '../../oauth/errors.ts';
import {
  findUserIdByIdentity,
  identityId,
  type LinkedIdentity,
  listIdentities,
} from '../../store/external-identities.ts';
import { findMfaFactors } from '../../store/mfa-factors.ts';
import { listPasskeys } from '../../store/passkeys.ts';
import { countSignInMethods, MIN_SIGN_IN_METHODS } from '../../store/passwordless.ts';
import { requestContext } from '../../web/browser.ts';
import {
  LINK_IDENTITY_PATH,
  loadIdentity,
  type OpenedIdentity,
  providerDisabledError,
} from '../../web/external-identity.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { providerSignInUrl } from '../../web/provider-state.ts';
import { NO_RETURN_TARGET, returnUrl, switchAccountUrl } from '../../web/return-to.ts';
import { signedInUser } from '../../web/session-guard.ts';
import {
  addIdentityView,
  cannotUnlinkView,
  identityTakenView,
  linkIdentityView,
  removeIdentityView,
  type UnlinkRequirement,
} from './identities-view.ts';
import { SECURITY_URL } from './security-form-view.ts';

const IDENTITIES_URL = `${SECURITY_URL}/identities`;
export const ADD_IDENTITY_PATH = `${IDENTITIES_URL}/new`;
const IDENTITY_LINKED_URL = `${SECURITY_URL}?done=identity-linked`;

export function identityPages(area: FastifyInstance, services: Services): void {
  const { database } = services;
  const actorOf = (request: FastifyRequest) => {
    const { userId, sid, idHash, startedAt: since } = signedInUser(request);
    return { userId, sid, idHash, since, ...requestContext(request) };
  };

  area.get(ADD_IDENTITY_PATH, { config: { requiresVerifiedEmail: true } }, async (request, reply) => {
    const linked = await listIdentities(database, signedInUser(request).userId);
    const providers = (await services.identityProviders.listEnabled())
      .filter(({ providerId }) => linked.every((identity) => identity.providerId !== providerId))
      .map(({ providerId, name }) => ({
        name,
        href: providerSignInUrl(providerId, NO_RETURN_TARGET, 'link'),
      }));
    return reply.page({
      title: ({ linkedAccounts }) => linkedAccounts.addTitle,
      main: (messages) => addIdentityView(messages, providers),
    });
  });

  area.formPage({
    path: LINK_IDENTITY_PATH,
    loadSubject: (request, reply) => loadIdentity(request, reply, services),
    async respondInstead({ profile, provider, returnTo }, request, reply) {
      const ownerId = await findUserIdByIdentity(database, profile);
      if (ownerId === undefined) return undefined;
      if (ownerId === signedInUser(request).userId) return returnUrl(returnTo, IDENTITY_LINKED_URL);
      return () =>
        reply.page({
          status: 409,
          title: ({ linkedAccounts }) => linkedAccounts.takenTitle,
          main: (messages) =>
            identityTakenView(
              messages,
              provider.name,
              switchAccountUrl(request, { page: undefined, next: SECURITY_URL }),
            ),
        });
    },
    parse: () => ({}),
    requiresVerifiedEmail: true,
    requiresReauthentication: true,
    async act({ request, subject: { profile, provider, returnTo } }) {
      const outcome = await linkOwnIdentity(services, actorOf(request), profile, services.now());
      if (outcome === 'ended') throw accessDenied('The session has ended.');
      if (outcome === 'disabled') throw providerDisabledError(provider);
      if (outcome === 'taken') return identityTakenRejection(provider.name);
      return returnUrl(returnTo, IDENTITY_LINKED_URL);
    },
    pageUrl: ({ sealed }) => linkUrl(sealed),
    render: ({ request, subject }) => ({
      postsToClient: subject.returnTo.page !== undefined,
      title: ({ linkedAccounts }) => linkedAccounts.linkTitle(subject.provider.name),
      main: (form) => linkIdentityView({ ...form, ...subject, user: signedInUser(request) }),
    }),
  });

  interface UnlinkSubject {
    identity: LinkedIdentity | undefined;
    requirement?: UnlinkRequirement | undefined;
  }

  area.formPage({
    path: `${IDENTITIES_URL}/remove`,
    async loadSubject(request): Promise<UnlinkSubject> {
      const id = readQueryOrForm(request).get('identity');
      const { userId, hasPassword } = signedInUser(request);
      const identities = await listIdentities(database, userId);
      const identity = identities.find((one) => identityId(one) === id);
      if (identity === undefined || hasPassword) return { identity };
      const others = identities.filter((one) => one !== identity);
      return { identity, requirement: await findUnlinkRequirement(userId, others) };
    },
    respondInstead: ({ identity }) => (identity === undefined ? SECURITY_URL : undefined),
    parse: () => ({}),
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject }, transaction) {
      const identity = requireIdentity(subject);
      const outcome = await removeOwnIdentity(transaction, actorOf(request), identity, services.now());
      if (outcome === 'needed')
        return {
          status: 409,
          errors: [
            { text: ({ linkedAccounts }) => linkedAccounts.addFirst[subject.requirement ?? 'password'] },
          ],
        };
      return {
        to: `${SECURITY_URL}?done=identity-removed`,
        ...(outcome === 'unlinked' && {
          notice: 'identity_unlinked' as const,
          subject: identity.providerName,
        }),
      };
    },
    pageUrl: (subject) => `${IDENTITIES_URL}/remove?identity=${identityId(requireIdentity(subject))}`,
    render: ({ subject }) => ({
      title: ({ linkedAccounts }) =>
        subject.requirement === undefined
          ? linkedAccounts.removeTitle(requireIdentity(subject).providerName)
          : linkedAccounts.addFirstTitle,
      main: (form) =>
        subject.requirement === undefined
          ? removeIdentityView(form, requireIdentity(subject))
          : cannotUnlinkView(form, requireIdentity(subject), subject.requirement),
    }),
  });

  async function findUnlinkRequirement(
    userId: string,
    others: readonly LinkedIdentity[],
  ): Promise<UnlinkRequirement | undefined> {
    const passkeys = await listPasskeys(database, userId);
    const factors = await findMfaFactors(database, userId);
    const remaining = countSignInMethods(passkeys, factors, others);
    if (remaining >= MIN_SIGN_IN_METHODS) return undefined;
    // Recovery codes count as one sign-in method. Without a password, creating them requires a passkey.
    if (passkeys.length > 0) return 'codes';
    if (getRelyingParty(services.config) === undefined) return 'password';
    return remaining === 0 ? 'passkeyAndCodes' : 'passkey';
  }

  function requireIdentity({ identity }: UnlinkSubject): LinkedIdentity {
    if (identity === undefined) throw new Error('The identity was not found, but the page did not redirect.');
    return identity;
  }
}

const linkUrl = (sealed: OpenedIdentity['sealed']): string => `${LINK_IDENTITY_PATH}?identity=${sealed}`;

const identityTakenRejection = (provider: string): Rejection => ({
  status: 409,
  errors: [{ text: ({ linkedAccounts }) => linkedAccounts.taken(provider) }],
});
