// /account/activity: lists the account's events from the audit log.
import type { FastifyInstance } from 'fastify';
import { getDeviceKind } from '../../accounts/user-agent.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { type AccountEvent, type EventKind, listAccountEvents } from '../../store/audit-log.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { type Entry, entryIcon, entryList } from '../../web/html/entry-list.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { logo } from '../../web/html/pictures.ts';
import { DEVICE_ICONS, describeDevice, describeSignInMethod } from '../../web/html/sign-in-text.ts';
import { timeAgo } from '../../web/html/time.ts';
import { formatPosition, parsePosition } from '../../web/list-position.ts';
import { signedInUser } from '../../web/session-guard.ts';

const PATH = '/account/activity';
const PAGE_SIZE = 20;
const DAY = 24 * 3600;

export function activityPage(area: FastifyInstance, { database, config }: Services): void {
  area.get(PATH, async (request, reply) => {
    const { userId } = signedInUser(request);
    const before = parsePosition(readQuery(request).get('before'), (id) => /^\d{1,18}$/.test(id));
    const events = await listAccountEvents(database, userId, { before, limit: PAGE_SIZE + 1 });
    const last = events[PAGE_SIZE - 1];
    return reply.page({
      title: (messages) => messages.account.activity.title,
      main: (messages) =>
        activityView({
          messages,
          events: events.slice(0, PAGE_SIZE),
          isFirst: before === undefined,
          next: last && events.length > PAGE_SIZE ? formatPosition(last) : undefined,
          keptDays: Math.ceil(config.auditRetention / DAY),
        }),
    });
  });
}

interface ActivityView {
  messages: Messages;
  events: readonly AccountEvent[];
  isFirst: boolean;
  next: string | undefined;
  keptDays: number;
}

function activityView({ messages, events, isFirst, next, keptDays }: ActivityView): Html {
  const text = messages.account.activity;
  return accountLayout(
    messages,
    'activity',
    html`<h1>${text.title}</h1>
<p class="lead">${text.notYou} <a href="/account/sessions">${text.signOutElsewhere}</a> ${text.and} <a href="/account/security">${text.checkSignIn}</a>.</p>
${events.length === 0 ? html`<p class="quiet">${isFirst ? text.none : text.noneOlder}</p>` : entryList(events.map((event) => eventEntry(event, messages)))}
${
  (!isFirst || next) &&
  html`<p class="paging">
${!isFirst && html`<a class="touch-target" href="${PATH}">${text.latest}</a>`}
${next && html`<a class="touch-target" href="${PATH}?before=${next}" rel="next">${text.older}</a>`}
</p>`
}
<p class="aside">${text.kept(keptDays)}</p>`,
  );
}

/** Events that may be caused by an attacker. Their rows link to the security page. */
const SUSPICIOUS_EVENTS: ReadonlySet<string> = new Set<EventKind>([
  'sign_in_failed',
  'sign_in_by_mail',
  'passkey_clone_suspected',
  'mfa_reset_requested',
  'mfa_reset',
  'unauthorized_activity_reported',
]);

/** Events shown as actions of an administrator if they have no actor because a CLI command caused them. */
const ADMIN_EVENTS: ReadonlySet<string> = new Set<EventKind>([
  'account_created',
  'account_imported',
  'account_suspended',
  'account_unsuspended',
  'account_access_ended',
  'admin_granted',
  'admin_revoked',
  'mfa_reset_requested',
]);

/** The first matching prefix wins. */
const EVENT_ICONS: readonly (readonly [prefix: string, icon: IconName])[] = [
  ['sign_in_failed', 'circle-x'],
  ['sign_in_by_mail', 'mail'],
  ['signed_in', 'log-in'],
  ['signed_out', 'log-out'],
  ['session', 'log-out'],
  ['signed_up', 'user'],
  ['profile_', 'user'],
  ['picture_', 'image'],
  ['email_', 'mail'],
  ['invitation_', 'mail'],
  ['verification_', 'mail'],
  ['password_', 'lock-keyhole'],
  ['passkey_', 'fingerprint'],
  ['identity_linked', 'link'],
  ['identity_unlinked', 'unlink'],
  ['app_', 'smartphone'],
  ['recovery_codes_', 'key-round'],
  ['remembered_device_', 'laptop'],
  ['consent_given', 'link'],
  ['consent_withdrawn', 'unlink'],
  ['data_exported', 'download'],
  ['application_', 'app-window'],
  ['secret_', 'key-round'],
  ['api_', 'server'],
  ['service_access_', 'server'],
  ['unauthorized_', 'triangle-alert'],
  ['added_item_', 'trash-2'],
  ['mfa_', 'shield-check'],
  ['account_', 'shield-check'],
  ['admin_', 'shield-check'],
];

const iconOf = (kind: string): IconName =>
  EVENT_ICONS.find(([prefix]) => kind.startsWith(prefix))?.[1] ?? 'history';

function eventEntry(event: AccountEvent, messages: Messages): Entry {
  const text = messages.account.activity;
  const { kind } = event;
  const isSuspicious = SUSPICIOUS_EVENTS.has(kind);
  const { events: labels } = messages.operations;
  const label = Object.hasOwn(labels, kind) ? labels[kind as EventKind] : text.other;
  const subject = eventSubject(event, messages);
  const origin = [
    ...eventOrigin(event, messages),
    ...(isSuspicious ? [html`<a href="/account/security">${text.secure}</a>`] : []),
  ];
  return {
    picture: entryIcon(iconOf(kind), isSuspicious),
    title: html`<p class="entry-title">${label}${subject && html` <span class="entry-subject">${subject}</span>`}</p>`,
    text:
      origin.length > 0 &&
      html`<p class="quiet">${origin.map((part, index) => html`${part}${index < origin.length - 1 && '\u00a0· '}`)}</p>`,
    end: timeAgo(event.at, messages),
  };
}

function eventSubject(event: AccountEvent, messages: Messages): Html | undefined {
  const { clientId, clientName, apiName, name, email, times } = event;
  const { operations, account } = messages;
  if (clientId !== null) {
    const knownName = clientDisplayName({ clientId, name: clientName ?? name ?? '' }, messages);
    if (knownName === '') return html`${operations.deletedApplication}`;
    const client = { clientId, name: knownName, logo: event.logo };
    return html`${logo(client, 20)} <bdi>${knownName}</bdi>`;
  }
  const subject = apiName ?? name ?? email;
  if (subject !== null) return html`<bdi>${subject}</bdi>`;
  return Number(times) > 1 ? html`${account.activity.attempts(Number(times))}` : undefined;
}

function eventOrigin(event: AccountEvent, messages: Messages): Html[] {
  const { kind, actor, method, ip, browser, system } = event;
  const text = messages.account.activity;
  const parts: Html[] = [];
  if (actor === 'administrator' || (actor === null && ADMIN_EVENTS.has(kind)))
    parts.push(html`${text.byAdministrator}`);
  else if (actor === 'recipient' || actor === 'other_owner') parts.push(html`${text.byOther}`);
  const isSignIn = kind === 'signed_in';
  if (isSignIn) parts.push(html`${describeSignInMethod(method ?? 'password', messages)}`);
  if (isSignIn || browser !== null || system !== null)
    parts.push(
      html`${icon(DEVICE_ICONS[getDeviceKind(system)], 16)} ${describeDevice({ browser, system }, messages)}`,
    );
  if (ip !== null) parts.push(html`<span class="ip">${ip}</span>`);
  return parts;
}
