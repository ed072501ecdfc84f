// GET and POST /device, POST /device/decision: a person types the code of a device and lets it in, or not (RFC 8628 §3.3).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rememberOutcome } from '../../accounts/device-decision.ts';
import { formOf, queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { normalizedUserCode } from '../../oauth/user-code.ts';
import { takeAllowance } from '../../store/allowances.ts';
import { findWaitingDevice, type WaitingDevice } from '../../store/device-requests.ts';
import { memberArea, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { sharedData } from '../../web/shared-data.ts';
import { deviceCodeView, deviceDecisionView } from './device-view.ts';

/** Codes that an account may try in an hour: a code is short, and lives for a quarter of one. */
const TRIES_PER_HOUR = 20;

type Fault = (messages: Messages) => string;

export function devicePage(app: FastifyInstance, parts: Parts): void {
  const { database, sealer } = parts;
  const macOf = (userCode: string) => sealer.mac('user-code', userCode);

  memberArea(app, parts, (area) => {
    area.get('/device', async (request, reply) => {
      const query = queryOf(request);
      const done = query.get('done');
      return askForCode(request, reply, query.get('user_code') ?? '', {
        notice: (messages) =>
          done === 'allowed'
            ? messages.device.allowed
            : done === 'denied'
              ? messages.device.denied
              : undefined,
      });
    });

    area.post('/device', async (request, reply) => {
      const typed = formOf(request).get('user_code') ?? '';
      const { userId } = memberOf(request);
      const now = parts.now();
      const key = sealer.mac('allowances', 'device', userId);
      if (!(await takeAllowance(database, key, TRIES_PER_HOUR, now)))
        return askForCode(request, reply, typed, { status: 429, fault: ({ device }) => device.tooManyTries });
      const userCode = normalizedUserCode(typed);
      const device =
        userCode === undefined ? undefined : await findWaitingDevice(database, macOf(userCode), now);
      if (userCode === undefined || device === undefined)
        return askForCode(request, reply, typed, {
          status: 400,
          fault: ({ device: text }) => text.unknownCode,
        });
      return askForDecision(request, reply, userCode, device);
    });

    area.get('/device/decision', async (_request, reply) => reply.redirect('/device', 303));

    area.post('/device/decision', async (request, reply) => {
      const form = formOf(request);
      const member = memberOf(request);
      const decision = form.get('decision');
      if (decision !== 'allow' && decision !== 'deny')
        throw invalidRequest('decision must be allow or deny.', { kind: 'page_form' });
      // Only what this page showed to this account may be decided on: a code alone is not enough.
      const userCode = opened(form.get('device'), member.userId);
      const now = parts.now();
      const device =
        userCode === undefined ? undefined : await findWaitingDevice(database, macOf(userCode), now);
      const decided =
        userCode !== undefined &&
        device !== undefined &&
        (await rememberOutcome(
          database,
          { userCodeMac: macOf(userCode), device, allowed: decision === 'allow', session: member },
          now,
        ));
      if (!decided)
        return askForCode(request, reply, userCode ?? '', {
          status: 400,
          fault: ({ device: text }) => text.unknownCode,
        });
      return reply.redirect(`/device?done=${decision === 'allow' ? 'allowed' : 'denied'}`, 303);
    });
  });

  /** The code of a decision page, if it was made for this account. */
  function opened(sealed: string | undefined, userId: string): string | undefined {
    const bytes = sealed === undefined ? undefined : sealer.open('device', sealed);
    if (bytes === undefined) return undefined;
    const [userCode, shownTo] = JSON.parse(bytes.toString('utf8')) as [string, string];
    return shownTo === userId ? userCode : undefined;
  }

  function askForCode(
    request: FastifyRequest,
    reply: FastifyReply,
    userCode: string,
    {
      status = 200,
      fault,
      notice,
    }: { status?: number; fault?: Fault; notice?: (messages: Messages) => string | undefined },
  ): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.device.title,
      account: member,
      hasErrors: fault !== undefined,
      main: (messages) =>
        deviceCodeView({
          messages,
          csrf: member.csrf,
          userCode,
          errors: fault === undefined ? [] : [{ field: 'user_code', text: fault(messages) }],
          notice: notice?.(messages),
        }),
    });
  }

  function askForDecision(
    request: FastifyRequest,
    reply: FastifyReply,
    userCode: string,
    device: WaitingDevice,
  ): FastifyReply {
    const member = memberOf(request);
    const name = device.applicationName;
    return sendPage(request, reply, parts, {
      title: (messages) => messages.device.decideTitle(name),
      account: member,
      main: (messages) =>
        deviceDecisionView({
          messages,
          csrf: member.csrf,
          device: sealer.seal('device', Buffer.from(JSON.stringify([userCode, member.userId]))),
          userCode,
          application: { name, hosts: [...new Set(device.redirectUris.map(callbackHost))] },
          account: member,
          shared: parseScope(device.scopes.join(' ')).map((scope) => sharedData(scope, member)),
        }),
    });
  }
}
