// GET /account: who one is here, how the account stands, what is worth doing.
import type { FastifyInstance } from 'fastify';
import { readDevice } from '../../accounts/browser-name.ts';
import type { Parts } from '../../http/parts.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { listConsents } from '../../store/consents.ts';
import { findPasswordChosen } from '../../store/credentials.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import { findReset } from '../../store/second-factor-resets.ts';
import { listEndingSecrets } from '../../store/secrets.ts';
import { listSessions } from '../../store/sessions.ts';
import { listReceivedOffers } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { avatarAddress } from '../../web/html/pictures.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { overviewView } from './overview-view.ts';

/** How long before its end a secret is named, in milliseconds. */
const SOON = 14 * 24 * 3600 * 1000;

export function overviewPage(area: FastifyInstance, parts: Parts): void {
  const { database, config, mailer } = parts;

  area.get('/account', async (request, reply) => {
    const member = memberOf(request);
    const { userId } = member;
    const now = parts.now();
    const before = new Date(now.getTime() + SOON);
    const mustVerify = mustVerifyEmail(config, member);
    const [consents, passwordChosenAt, sessions, change, offers, endingSecrets, reset] = await Promise.all([
      listConsents(database, userId),
      findPasswordChosen(database, userId),
      listSessions(database, userId, now),
      newestToken(database, userId, 'change_email', now),
      mustVerify ? [] : listReceivedOffers(database, userId, now),
      listEndingSecrets(database, userId, { now, before }),
      findReset(database, userId),
    ]);
    const others = sessions.filter(({ sid }) => sid !== member.sid);
    return reply.page({
      title: (messages) => messages.account.parts.title,
      main: (messages) =>
        overviewView({
          messages,
          serviceName: config.serviceName,
          account: { ...member, avatar: avatarAddress('', member), passwordChosenAt },
          canVerify: mailer.available,
          changingTo: change?.email,
          otherSessions: others.map(({ userAgent, lastSeenAt }) => ({
            device: readDevice(userAgent),
            lastSeenAt,
          })),
          offers,
          endingSecrets,
          reset,
          applications: consents.map(
            ({ clientId, applicationName: name, agent, redirectUris, lastUsedAt }) => ({
              name: calledOnPages({ clientId, name, agent }, redirectUris),
              lastUsedAt,
            }),
          ),
          notice: doneOf(request, {
            welcome: messages.account.overview.welcome(config.serviceName),
            reset: messages.account.credentials.password.done.reset,
          }),
        }),
    });
  });
}
