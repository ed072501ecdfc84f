// /account/security: passkeys, password, MFA and remembered devices. Removes MFA and devices.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseUserAgent } from '../../accounts/user-agent.ts';
import {
  forgetOwnDevice,
  regenerateRecoveryCodes,
  removeOwnAuthenticatorApp,
} from '../../credentials/mfa-setup.ts';
import { MAX_PASSKEYS } from '../../credentials/passkeys.ts';
import { getRelyingParty } from '../../credentials/webauthn.ts';
import { readForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { isUuid } from '../../store/admin-accounts.ts';
import { listIdentities } from '../../store/external-identities.ts';
import { findMfaFactors, listRememberedDevices } from '../../store/mfa-factors.ts';
import { findMfaReset } from '../../store/mfa-resets.ts';
import { listPasskeys } from '../../store/passkeys.ts';
import { findLastPasswordUse } from '../../store/sign-in-history.ts';
import { requestContext } from '../../web/browser.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import { writeFlash } from '../../web/flash.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { acceptedPasskeysSignal } from '../../web/passkeys.ts';
import { hasMfa } from '../../web/reauthentication.ts';
import { loginUrl, NO_RETURN_TARGET, type ReturnTo } from '../../web/return-to.ts';
import { mustVerifyEmail, signedInUser } from '../../web/session-guard.ts';
import { removeAuthenticatorAppView } from './authenticator-app-view.ts';
import { regenerateRecoveryCodesView } from './recovery-codes-view.ts';
import { SECURITY_URL } from './security-form-view.ts';
import { securityView } from './security-view.ts';

export function securityPage(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(SECURITY_URL, async (request, reply) => {
    const user = signedInUser(request);
    const { userId, csrf } = user;
    const factors = await findMfaFactors(database, userId);
    const reset = await findMfaReset(database, userId);
    const passwordUsedAt = await findLastPasswordUse(database, userId);
    const passkeys = await listPasskeys(database, userId);
    const identities = await listIdentities(database, userId);
    const providers = await services.identityProviders.listEnabled();
    const devices = await listRememberedDevices(database, userId, services.now());
    return reply.page({
      // Tell password managers which passkeys are valid, and the user's current name and email address.
      passkeySignal: acceptedPasskeysSignal(services, user, passkeys),
      title: (messages) => messages.account.navigation.security,
      main: (messages) =>
        securityView({
          messages,
          csrf,
          account: user,
          factors,
          passkeys,
          identities,
          hasProviders: providers.length > 0,
          canAddPasskey: getRelyingParty(services.config) !== undefined && passkeys.length < MAX_PASSKEYS,
          mustVerifyEmail: mustVerifyEmail(services.config, user),
          passwordUsedAt: passwordUsedAt ?? null,
          mayRequireEmailCode: services.mailer.available,
          rememberedDevices: devices.map((device) => ({
            ...device,
            device: parseUserAgent(device.userAgent),
          })),
          reset,
          notice: doneMessage(request, messages.account.security.done),
          attention: doneMessage(request, messages.linkedAccounts.outcomes),
        }),
    });
  });

  area.formPage({
    path: `${SECURITY_URL}/app/remove`,
    loadSubject: signedInUser,
    respondInstead: ({ requiresTotp }) => (requiresTotp ? undefined : SECURITY_URL),
    parse: () => ({}),
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: { userId, sid } }, transaction) {
      const removed = await removeOwnAuthenticatorApp(
        transaction,
        { userId, sid, ip: clientNetwork(request) },
        services.now(),
      );
      return { to: `${SECURITY_URL}?done=app-removed`, notice: removed ? 'app_removed' : undefined };
    },
    render: () => ({
      title: (messages) => messages.account.security.app.removeTitle,
      main: removeAuthenticatorAppView,
    }),
  });

  area.formPage({
    path: `${SECURITY_URL}/codes/new`,
    loadSubject: signedInUser,
    respondInstead: (member) => (hasMfa(member) ? undefined : SECURITY_URL),
    parse: () => ({}),
    requiresVerifiedEmail: true,
    requiresReauthentication: true,
    async act({ request, reply, subject: { userId, sid, startedAt: since } }) {
      const actor = { userId, sid, since, ...requestContext(request) };
      const codes = await regenerateRecoveryCodes(
        services,
        actor,
        singleUseFormToken(request, services),
        services.now(),
      );
      return recoveryCodesUrl(reply, services, codes?.codes);
    },
    render: () => ({
      title: (messages) => messages.account.security.codes.renewTitle,
      main: regenerateRecoveryCodesView,
    }),
  });

  area.embeddedForm({
    path: `${SECURITY_URL}/browsers/end`,
    page: SECURITY_URL,
    async act(request: FastifyRequest) {
      const id = readForm(request).get('browser') ?? '';
      if (!isUuid(id))
        throw invalidRequest('The browser parameter is missing or malformed.', { kind: 'page_form_invalid' });
      const { userId } = signedInUser(request);
      // A repeated submission also reports success.
      await forgetOwnDevice(services, { userId, ip: clientNetwork(request) }, id, services.now());
      return `${SECURITY_URL}?done=trust-ended`;
    },
  });
}

/**
 * Puts new recovery codes into a flash cookie. Omits a `returnTo` that would make the cookie too long.
 * @returns the URL of the page that shows the codes once
 */
export function recoveryCodesUrl(
  reply: FastifyReply,
  services: Services,
  codes: readonly string[] | undefined,
  returnTo: ReturnTo = NO_RETURN_TARGET,
): string {
  const url = loginUrl(`${SECURITY_URL}/codes`, returnTo);
  if (codes === undefined || writeFlash(reply, services, url, { codes })) return url;
  return recoveryCodesUrl(reply, services, codes);
}
