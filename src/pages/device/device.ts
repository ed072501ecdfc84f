// /device and /device/decision: a person types the code of a device and lets it in, or not (RFC 8628 §3.3).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { rememberOutcome } from '../../accounts/device-decision.ts';
import { mayTryDeviceCode } from '../../accounts/limits.ts';
import { formOf, parametersOf, queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isSafe } from '../../http/request.ts';
import type { Messages } from '../../i18n/index.ts';
import { isDemandedOf, isStrong } from '../../oauth/authentication-methods.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { normalizedUserCode } from '../../oauth/typed-code.ts';
import { findDeviceDecision, findWaitingDevice } from '../../store/device-requests.ts';
import { fromOf } from '../../web/browser.ts';
import type { Refusal } from '../../web/faults.ts';
import { memberArea, memberOf, moreAddress } from '../../web/member.ts';
import { switchAccountUrl } from '../../web/return-to.ts';
import { deviceCodeView, deviceDecisionView, deviceEndView } from './device-view.ts';

export function devicePage(app: FastifyInstance, parts: Parts): void {
  const { database, sealer } = parts;
  const macOf = (userCode: string) => sealer.mac('user-code', userCode);

  memberArea(app, parts, (area) => {
    area.formPage({
      url: '/device',
      about: memberOf,
      begin: (_member, request) => ({ userCode: queryOf(request).get('user_code') ?? '' }),
      read: (form) => ({ userCode: form.get('user_code') ?? '' }),
      async act({ about: { userId }, fields }) {
        if (!(await mayTryDeviceCode(parts, userId, parts.now())))
          return { ...refusal(({ tooManyTries }) => tooManyTries), status: 429 };
        const userCode = normalizedUserCode(fields.userCode);
        if (userCode === undefined || (await waiting(userCode)) === undefined) return UNKNOWN_CODE;
        return `/device/decision?device=${sealed(userCode, userId)}`;
      },
      page: ({ request, about: account, fields: { userCode } }) => ({
        wide: false,
        title: (messages) => messages.device.title,
        main: (form) =>
          deviceCodeView({ ...form, account, userCode, switchAccountHref: switchHere(request, userCode) }),
      }),
    });

    area.formPage({
      url: '/device/decision',
      // Only what was shown to this account may be decided on: a code alone is not enough.
      async about(request) {
        const userCode = opened(parametersOf(request).get('device'), memberOf(request).userId);
        const device = userCode === undefined ? undefined : await waiting(userCode);
        return { userCode: userCode ?? '', device };
      },
      elsewhere({ device }, request) {
        if (device === undefined) return isSafe(request) ? '/device' : undefined;
        const member = memberOf(request);
        const isDemanded = device.secondFactorRequired || isDemandedOf(parts.config.secondFactor, member);
        if (!isDemanded || isStrong(member.methods)) return undefined;
        const shown = parametersOf(request).get('device') ?? '';
        return moreAddress(member, `/device/decision?device=${shown}`);
      },
      read: (_form, { userCode }) => ({ userCode }),
      async act({ request, about: { userCode, device } }) {
        const decision = formOf(request).get('decision');
        if (decision !== 'allow' && decision !== 'deny')
          throw invalidRequest('decision must be allow or deny.', { kind: 'page_form' });
        const allowed = decision === 'allow';
        const session = memberOf(request);
        const userCodeMac = macOf(userCode);
        const { address, userAgent } = fromOf(request);
        const outcome = device && { userCodeMac, device, allowed, session, address, userAgent };
        if (outcome && (await rememberOutcome(database, outcome, parts.now()))) return endOf(allowed);
        // Sent once more, it says what became of the first time.
        const made = await findDeviceDecision(database, userCodeMac, session.userId, parts.now());
        return made === undefined ? UNKNOWN_CODE : endOf(made);
      },
      address: () => '/device',
      page({ request, about: { userCode, device } }) {
        const member = memberOf(request);
        const { requestedAt: at = parts.now(), requestedFrom: from = '' } = device ?? {};
        const { applicationName: name = '', redirectUris = [], scopes = [] } = device ?? {};
        const hosts = [...new Set(redirectUris.map(callbackHost))];
        return {
          wide: false,
          title: (messages) => messages.device.decideTitle(name),
          main: (form) =>
            deviceDecisionView({
              ...form,
              device: sealed(userCode, member.userId),
              userCode,
              application: { ...device, name, hosts },
              account: member,
              switchAccountHref: switchHere(request, userCode),
              scopes: parseScope(scopes.join(' ')),
              requested: { at, from, sameNetwork: from === addressOf(request) },
            }),
        };
      },
    });

    area.get(END, async (request, reply) => {
      const allowed = queryOf(request).get('done') === 'allowed';
      return reply.page({
        wide: false,
        title: ({ device }) => (allowed ? device.allowedTitle : device.deniedTitle),
        main: (messages) => deviceEndView({ messages, allowed }),
      });
    });
  });

  const waiting = (userCode: string) => findWaitingDevice(database, macOf(userCode), parts.now());

  const sealed = (userCode: string, userId: string): string => sealer.sealJson('device', [userCode, userId]);

  /** The code of a decision page, if it was made for this account. */
  function opened(text: string | undefined, userId: string): string | undefined {
    const [userCode, shownTo] = sealer.openJson<[string, string]>('device', text) ?? [];
    return shownTo === userId ? userCode : undefined;
  }
}

/** Where another account takes the place of the present one, and comes back with the code. */
const switchHere = (request: FastifyRequest, userCode: string): string =>
  switchAccountUrl(request, {
    page: undefined,
    next: userCode === '' ? '/device' : `/device?user_code=${encodeURIComponent(userCode)}`,
  });

const END = '/device/done';
const endOf = (allowed: boolean): string => `${END}?done=${allowed ? 'allowed' : 'denied'}`;

const refusal = (text: (device: Messages['device']) => string): Refusal => ({
  faults: [{ field: 'user_code', text: ({ device }) => text(device) }],
});

const UNKNOWN_CODE = refusal(({ unknownCode }) => unknownCode);
