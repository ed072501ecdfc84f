// /account/security: what opens the account, in one place. And its buttons: taking the app away, new recovery codes, ending
// the trust in a browser.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readDevice } from '../../accounts/browser-name.ts';
import { MOST_PASSKEYS } from '../../credentials/passkeys.ts';
import { endTrust, renewRecoveryCodes, takeAppAway } from '../../credentials/second-factor-setup.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { isUuid } from '../../store/account-lists.ts';
import { listPasskeys } from '../../store/passkeys.ts';
import { findReset } from '../../store/second-factor-resets.ts';
import { findFactors, listTrustedBrowsers } from '../../store/second-factors.ts';
import { listSignIns } from '../../store/sign-ins.ts';
import { fromOf } from '../../web/browser.ts';
import { oneUse } from '../../web/csrf.ts';
import { doneOf } from '../../web/faults.ts';
import { writeFlash } from '../../web/flash.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { signalOfAll } from '../../web/passkeys.ts';
import { hasMore } from '../../web/reauthentication.ts';
import { loginUrl, NOWHERE, type ReturnTo } from '../../web/return-to.ts';
import { SECURITY } from './security-form-view.ts';
import { removeAppView, renewCodesView, securityView } from './security-view.ts';

export function securityPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(SECURITY, async (request, reply) => {
    const member = memberOf(request);
    const { userId, csrf, hasPassword, passwordChosenAt } = member;
    const now = parts.now();
    const factors = await findFactors(database, userId);
    const reset = await findReset(database, userId);
    const signIns = await listSignIns(database, userId);
    const passkeys = await listPasskeys(database, userId);
    const trusted = await listTrustedBrowsers(database, userId, now);
    const browsers = trusted.map((browser) => ({ ...browser, device: readDevice(browser.userAgent) }));
    return reply.page({
      // Whatever keeps them follows what was removed and renamed.
      signal: signalOfAll(parts, member, passkeys),
      title: (messages) => messages.account.parts.security,
      main: (messages) =>
        securityView({
          messages,
          csrf,
          factors,
          passkeys,
          mayAdd: relyingPartyOf(parts.config) !== undefined && passkeys.length < MOST_PASSKEYS,
          mustVerify: mustVerifyEmail(parts.config, member),
          hasPassword,
          passwordChosenAt,
          browsers,
          reset,
          signIns,
          notice: doneOf(request, messages.account.security.done),
        }),
    });
  });

  area.formPage({
    url: `${SECURITY}/app/remove`,
    about: memberOf,
    elsewhere: ({ asksForCode }) => (asksForCode ? undefined : SECURITY),
    read: () => ({}),
    proof: true,
    inTransaction: true,
    async act({ request, about: { userId, sid } }, transaction) {
      const removed = await takeAppAway(
        transaction,
        { userId, sid, address: addressOf(request) },
        parts.now(),
      );
      return { to: `${SECURITY}?done=app-removed`, notice: removed ? 'app_removed' : undefined };
    },
    page: () => ({
      title: (messages) => messages.account.security.app.removeTitle,
      main: removeAppView,
    }),
  });

  area.formPage({
    url: `${SECURITY}/codes/new`,
    about: memberOf,
    elsewhere: (member) => (hasMore(member) ? undefined : SECURITY),
    read: () => ({}),
    verifiedEmail: true,
    proof: true,
    async act({ request, reply, about: { userId, sid, startedAt: since } }) {
      const actor = { userId, sid, since, ...fromOf(request) };
      const made = await renewRecoveryCodes(parts, actor, oneUse(request, parts), parts.now());
      return leadToCodes(reply, parts, made?.codes);
    },
    page: () => ({
      title: (messages) => messages.account.security.codes.renewTitle,
      main: renewCodesView,
    }),
  });

  area.formWithin({
    url: `${SECURITY}/browsers/end`,
    page: SECURITY,
    async act(request: FastifyRequest) {
      const id = formOf(request).get('browser') ?? '';
      if (!isUuid(id)) throw invalidRequest('browser is missing or is none.', { kind: 'page_form' });
      const { userId } = memberOf(request);
      // Over already, by a second click: what the person asked for is so, and is said.
      await endTrust(parts, { userId, address: addressOf(request) }, id, parts.now());
      return `${SECURITY}?done=trust-ended`;
    },
  });
}

/** Leads to the page that shows new recovery codes once, and only then on to `returnTo`, unless that is too long. */
export function leadToCodes(
  reply: FastifyReply,
  parts: Parts,
  codes: readonly string[] | undefined,
  returnTo: ReturnTo = NOWHERE,
): string {
  const url = loginUrl(`${SECURITY}/codes`, returnTo);
  if (codes === undefined || writeFlash(reply, parts, url, { codes })) return url;
  return leadToCodes(reply, parts, codes);
}
