// Lists and revokes an account's sessions and consents.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endSessionInTransaction, revokeConsentInTransaction } from '../../accounts/moderation.ts';
import { getDeviceKind, parseUserAgent } from '../../accounts/user-agent.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { isWellFormedClientId } from '../../oauth/secrets.ts';
import {
  type AccountDetail,
  findAccountDetail,
  isUuid,
  MAX_COUNTED_ENTRIES,
} from '../../store/admin-accounts.ts';
import { type ConsentRow, findConsent, listConsents } from '../../store/consents.ts';
import { findSessionOfUser, listSessions, type SessionRow } from '../../store/sessions.ts';
import { breakable } from '../../web/html/breakable.ts';
import { adminClientPath, clientDisplayName } from '../../web/html/client-display.ts';
import { type Entry, entryIcon, entryList } from '../../web/html/entry-list.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { logo } from '../../web/html/pictures.ts';
import { browserIconOf, DEVICE_ICONS, describeDevice } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { actionPages } from './actions.ts';
import { ACCOUNTS_URL, detailRow, formatLimitedCount, ipView } from './layout.ts';
import type { DetailContext } from './sections.ts';

/** Entries beyond `MAX_SHOWN_ENTRIES` are collapsed. */
const MAX_SHOWN_ENTRIES = 5;
const MAX_LOADED_ENTRIES = 100;

export interface AccountAccess {
  sessions: readonly SessionRow[];
  /** Empty while the account is suspended. */
  connected: readonly ConsentRow[];
}

export async function loadAccountAccess(
  { database, now }: Pick<Services, 'database' | 'now'>,
  { userId, suspended }: AccountDetail,
): Promise<AccountAccess> {
  return {
    sessions: await listSessions(database, userId, now(), MAX_LOADED_ENTRIES),
    connected: suspended ? [] : await listConsents(database, userId, MAX_LOADED_ENTRIES),
  };
}

type HasUserId = { userId: string };
const accountUrl = ({ userId }: HasUserId): string => `${ACCOUNTS_URL}/${userId}`;
const sessionUrl = (account: HasUserId, { sid }: SessionRow): string =>
  `${accountUrl(account)}/sessions/${sid}`;
const consentUrl = (account: HasUserId, { clientId }: ConsentRow): string =>
  `${accountUrl(account)}/applications/${encodeURIComponent(clientId)}`;

export function accountAccessPages(area: FastifyInstance, services: Services): void {
  const { database, mailer } = services;

  async function findAccount(request: FastifyRequest): Promise<AccountDetail> {
    const { userId = '' } = request.params as Record<string, string>;
    const account = isUuid(userId) ? await findAccountDetail(database, userId, services.now()) : undefined;
    if (account === undefined) throw notFound();
    return account;
  }

  actionPages<{ account: AccountDetail; session: SessionRow; isCurrent: boolean }, 'end'>(area, {
    section: 'accounts',
    path: `${ACCOUNTS_URL}/:userId/sessions/:sid`,
    async find(request) {
      const account = await findAccount(request);
      const { sid = '' } = request.params as Record<string, string>;
      const session = isUuid(sid)
        ? await findSessionOfUser(database, account.userId, services.now(), sid)
        : undefined;
      if (session === undefined) throw notFound();
      return { account, session, isCurrent: isCurrentSession(session, request) };
    },
    pathOf: ({ account }) => accountUrl(account),
    actionUrl: ({ account, session }) => `${sessionUrl(account, session)}/end`,
    nameOf: ({ account }) => account.name,
    summary: ({ account, session }, messages) => {
      const { operations: text } = messages;
      return html`${detailRow(text.email, breakable(account.email))}${detailRow(text.browser, describeDevice(parseUserAgent(session.userAgent), messages))}${
        session.ip !== '' && detailRow(text.address, ipView(session.ip))
      }${detailRow(text.lastSignIn, dateTime(session.authTime, messages))}`;
    },
    actions: ['end'],
    deleting: ['end'],
    dangerous: [],
    listPossible: ({ isCurrent }) => (isCurrent ? [] : ['end']),
    notifiesUser: mailer.available,
    labels: ({ operations }) => operations.sessionActions,
    perform: async (_action, { account: { userId }, session, isCurrent }, by, _fields, transaction) =>
      isCurrent
        ? 'unchanged'
        : endSessionInTransaction({ mailer }, transaction, { userId, ...session }, by, services.now()),
  });

  actionPages<{ account: AccountDetail; connection: ConsentRow }, 'revoke'>(area, {
    section: 'accounts',
    path: `${ACCOUNTS_URL}/:userId/applications/:clientId`,
    async find(request) {
      const account = await findAccount(request);
      const { clientId = '' } = request.params as Record<string, string>;
      const connection =
        isWellFormedClientId(clientId) && !account.suspended
          ? await findConsent(database, account.userId, clientId)
          : undefined;
      if (connection === undefined) throw notFound();
      return { account, connection };
    },
    pathOf: ({ account }) => accountUrl(account),
    actionUrl: ({ account, connection }) => `${consentUrl(account, connection)}/revoke`,
    nameOf: ({ account }) => account.name,
    summary: ({ account, connection }, messages) => {
      const { operations: text } = messages;
      return html`${detailRow(text.email, breakable(account.email))}${detailRow(text.application, html`<bdi>${displayName(connection, messages)}</bdi>`)}${detailRow(text.scopes, accessTags(connection, messages))}`;
    },
    actions: ['revoke'],
    deleting: ['revoke'],
    dangerous: [],
    listPossible: () => ['revoke'],
    notifiesUser: mailer.available,
    labels: ({ operations }) => operations.connectionActions,
    perform: (_action, { account: { userId }, connection }, by, _fields, transaction) =>
      revokeConsentInTransaction({ mailer }, transaction, { userId, ...connection }, by, services.now()),
  });
}

const isCurrentSession = ({ idHash }: SessionRow, request: FastifyRequest): boolean =>
  idHash.equals(signedInUser(request).idHash);

export function sessionsView(
  account: AccountDetail & AccountAccess,
  { messages, request, links }: DetailContext<'end'>,
): Html {
  const { operations: text } = messages;
  const entries = account.sessions.map((session) => {
    const url = isCurrentSession(session, request) ? undefined : `${sessionUrl(account, session)}/end`;
    return sessionEntry(session, url, messages);
  });
  return html`<section aria-labelledby="sessions">
<div class="row">
<h2 id="sessions">${text.openSessions} <span class="heading-count" id="open-sessions">${formatAccessCount(account.liveSessions, messages)}</span></h2>
${links('end')}
</div>
${entries.length === 0 ? html`<p class="quiet">${text.noSessions}</p>` : collapsedList(entries, account.liveSessions, messages)}
</section>`;
}

function sessionEntry(session: SessionRow, endUrl: string | undefined, messages: Messages): Entry {
  const { operations: text, account } = messages;
  const { ip, userAgent, authTime, lastSeenAt } = session;
  const device = parseUserAgent(userAgent);
  const name = describeDevice(device, messages);
  return {
    picture: entryIcon(DEVICE_ICONS[getDeviceKind(device.system, userAgent)]),
    title: html`<h3>${device.browser && html`${icon(browserIconOf(device.browser), 16)} `}${name}${endUrl === undefined && html` ${tag(account.sessions.current, 'good')}`}</h3>`,
    text: html`<p class="quiet">${ip === '' ? account.sessions.noAddress : ipView(ip)} · ${text.sessionStarted} ${dateTime(authTime, messages)} · ${account.sessions.active.toLowerCase()} ${timeAgo(lastSeenAt, messages)}</p>`,
    end: endUrl !== undefined && revokeLink(endUrl, text.sessionActions.end.action, name),
  };
}

export function connectedApplicationsView(
  account: AccountDetail & AccountAccess,
  { messages }: { messages: Messages },
): Html {
  const { operations: text } = messages;
  const entries = account.connected.map((connection) => consentEntry(account, connection, messages));
  return html`<section aria-labelledby="connected">
<h2 id="connected">${text.connectedApplications} <span class="heading-count" id="connected-applications">${formatAccessCount(account.connectedClients, messages)}</span></h2>
${entries.length === 0 ? html`<p class="quiet">${text.noConnectedApplications}</p>` : collapsedList(entries, account.connectedClients, messages)}
</section>`;
}

function consentEntry(account: AccountDetail, connection: ConsentRow, messages: Messages): Entry {
  const { operations: text, account: texts } = messages;
  const { clientId, grantedAt, lastUsedAt } = connection;
  const name = displayName(connection, messages);
  const used =
    lastUsedAt === null
      ? texts.applications.neverUsed
      : html`${texts.applications.lastUsed} ${timeAgo(lastUsedAt, messages)}`;
  return {
    picture: logo({ ...connection, name }, 36),
    title: html`<h3><a href="${adminClientPath(clientId)}"><bdi>${name}</bdi></a></h3>`,
    text: html`<p class="quiet">${texts.applications.allowedOn} ${day(grantedAt, messages)} · ${used}</p>
<p class="tags">${accessTags(connection, messages)}</p>`,
    end: revokeLink(`${consentUrl(account, connection)}/revoke`, text.connectionActions.revoke.action, name),
  };
}

const revokeLink = (url: string, label: string, name: string): Html =>
  html`<span class="changes"><a class="edit-link" href="${url}">${label}<span class="visually-hidden"> (${name})</span></a></span>`;

const displayName = ({ clientId, clientName }: ConsentRow, messages: Messages): string =>
  clientDisplayName({ clientId, name: clientName }, messages);

function accessTags({ scopes, apis }: ConsentRow, { account: { applications: text } }: Messages): Html {
  const granted = parseScope(scopes.join(' '));
  if (granted.length + apis.length === 0) return html`${text.nothingLeft}`;
  return html`${granted.map((scope) => tag(text.scopes[scope]))}${apis.map(({ name, scopes: apiScopes }) =>
    tag(
      html`${text.api} <bdi>${name}</bdi>${apiScopes.length > 0 && ` (${apiScopes.map((scope) => scope.name).join(', ')})`}`,
    ),
  )}`;
}

export const formatAccessCount = (count: number, messages: Messages): string =>
  formatLimitedCount(count, MAX_COUNTED_ENTRIES, messages);

function collapsedList(entries: readonly Entry[], total: number, { operations: text }: Messages): Html {
  const more = entries.slice(MAX_SHOWN_ENTRIES);
  const hiddenCount = total < MAX_COUNTED_ENTRIES ? total - entries.length : 0;
  return html`${entryList(entries.slice(0, MAX_SHOWN_ENTRIES))}
${
  more.length > 0 &&
  html`<details class="more-entries">
<summary>${text.showMore(more.length)}</summary>
${entryList(more)}
${hiddenCount > 0 && html`<p class="quiet">${text.moreOwned(hiddenCount)}</p>`}
</details>`
}`;
}
