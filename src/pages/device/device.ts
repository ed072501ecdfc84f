// /device and /device/decision: asks for the user code, then for approval (RFC 8628 §3.3).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { saveDeviceDecision } from '../../accounts/device-decision.ts';
import { mayTryDeviceCode } from '../../accounts/rate-limits.ts';
import { readForm, readQuery, readQueryOrForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import { isSafeMethod } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { isMfaRequired, isMultiFactor } from '../../oauth/authentication-methods.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { getRedirectUriHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { parseUserCode } from '../../oauth/user-code.ts';
import { findDeviceDecision, findPendingDevice } from '../../store/device-requests.ts';
import { requestContext } from '../../web/browser.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { switchAccountUrl } from '../../web/return-to.ts';
import { mfaUrl, registerSignedInRoutes, signedInUser } from '../../web/session-guard.ts';
import { deviceDecisionView, deviceDoneView, userCodeView } from './device-view.ts';

export function devicePage(app: FastifyInstance, services: Services): void {
  const { database, sealer } = services;
  const macUserCode = (userCode: string) => sealer.mac('user-code', userCode);

  registerSignedInRoutes(app, services, (area) => {
    area.formPage({
      path: '/device',
      loadSubject: signedInUser,
      initialFields: (_member, request) => ({ userCode: readQuery(request).get('user_code') ?? '' }),
      parse: (form) => ({ userCode: form.get('user_code') ?? '' }),
      async act({ subject: { userId }, fields }) {
        if (!(await mayTryDeviceCode(services, userId, services.now())))
          return { ...userCodeRejection(({ tooManyTries }) => tooManyTries), status: 429 };
        const userCode = parseUserCode(fields.userCode);
        if (userCode === undefined || (await findPendingByUserCode(userCode)) === undefined)
          return UNKNOWN_CODE_REJECTION;
        return `/device/decision?device=${sealToken(userCode, userId)}`;
      },
      render: ({ request, subject: account, fields: { userCode } }) => ({
        isWide: false,
        title: (messages) => messages.device.title,
        main: (form) =>
          userCodeView({
            ...form,
            account,
            userCode,
            switchAccountHref: accountSwitchUrl(request, userCode),
          }),
      }),
    });

    area.formPage({
      path: '/device/decision',
      // The `device` token proves that this user saw the request. The user code alone isn't sufficient.
      async loadSubject(request) {
        const userCode = openToken(readQueryOrForm(request).get('device'), signedInUser(request).userId);
        const device = userCode === undefined ? undefined : await findPendingByUserCode(userCode);
        return { userCode: userCode ?? '', device };
      },
      respondInstead({ device }, request) {
        if (device === undefined) return isSafeMethod(request) ? '/device' : undefined;
        const user = signedInUser(request);
        const needsMfa = device.mfaRequired || isMfaRequired(services.config.mfaPolicy, user);
        if (!needsMfa || isMultiFactor(user.methods)) return undefined;
        const token = readQueryOrForm(request).get('device') ?? '';
        return mfaUrl(user, `/device/decision?device=${token}`);
      },
      parse: (_form, { userCode }) => ({ userCode }),
      async act({ request, subject: { userCode, device } }) {
        const decision = readForm(request).get('decision');
        if (decision !== 'allow' && decision !== 'deny')
          throw invalidRequest('decision must be allow or deny.', { kind: 'page_form_invalid' });
        const allowed = decision === 'allow';
        const session = signedInUser(request);
        const userCodeMac = macUserCode(userCode);
        const { ip, userAgent } = requestContext(request);
        const outcome = device && { userCodeMac, device, allowed, session, ip, userAgent };
        if (outcome && (await saveDeviceDecision(database, outcome, services.now()))) return doneUrl(allowed);
        // A repeated submission leads to the result of the first decision.
        const decided = await findDeviceDecision(database, userCodeMac, session.userId, services.now());
        return decided === undefined ? UNKNOWN_CODE_REJECTION : doneUrl(decided);
      },
      pageUrl: () => '/device',
      render({ request, subject: { userCode, device } }) {
        const user = signedInUser(request);
        const { requestedAt: at = services.now(), requestedFrom: from = '' } = device ?? {};
        const { clientId = '', clientName: name = '', redirectUris = [], scopes = [] } = device ?? {};
        const hosts = [...new Set(redirectUris.map(getRedirectUriHost))];
        return {
          isWide: false,
          title: (messages) => messages.device.decideTitle(name),
          main: (form) =>
            deviceDecisionView({
              ...form,
              device: sealToken(userCode, user.userId),
              userCode,
              application: { ...device, clientId, name, hosts },
              account: user,
              switchAccountHref: accountSwitchUrl(request, userCode),
              scopes: parseScope(scopes.join(' ')),
              request: { at, from, sameNetwork: from === clientNetwork(request) },
            }),
        };
      },
    });

    area.get(DONE_URL, async (request, reply) => {
      const allowed = readQuery(request).get('done') === 'allowed';
      return reply.page({
        isWide: false,
        title: ({ device }) => (allowed ? device.allowedTitle : device.deniedTitle),
        main: (messages) => deviceDoneView({ messages, allowed }),
      });
    });
  });

  const findPendingByUserCode = (userCode: string) =>
    findPendingDevice(database, macUserCode(userCode), services.now());

  const sealToken = (userCode: string, userId: string): string =>
    sealer.sealJson('device', [userCode, userId]);

  /** Undefined if the token was sealed for another account. */
  function openToken(text: string | undefined, userId: string): string | undefined {
    const [userCode, shownTo] = sealer.openJson<[string, string]>('device', text) ?? [];
    return shownTo === userId ? userCode : undefined;
  }
}

const accountSwitchUrl = (request: FastifyRequest, userCode: string): string =>
  switchAccountUrl(request, {
    page: undefined,
    next: userCode === '' ? '/device' : `/device?user_code=${encodeURIComponent(userCode)}`,
  });

const DONE_URL = '/device/done';
const doneUrl = (allowed: boolean): string => `${DONE_URL}?done=${allowed ? 'allowed' : 'denied'}`;

const userCodeRejection = (text: (device: Messages['device']) => string): Rejection => ({
  errors: [{ field: 'user_code', text: ({ device }) => text(device) }],
});

const UNKNOWN_CODE_REJECTION = userCodeRejection(({ unknownCode }) => unknownCode);
