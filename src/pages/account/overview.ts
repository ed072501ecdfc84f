// /account: profile, security summary and pending tasks.
import type { FastifyInstance } from 'fastify';
import { parseUserAgent } from '../../accounts/user-agent.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { formatPhone } from '../../i18n/phones.ts';
import { getDisplayName } from '../../oauth/client-metadata.ts';
import { SECRET_EXPIRY_NOTICE_PERIOD } from '../../oauth/lifetimes.ts';
import { getRedirectUriHost } from '../../oauth/redirect-uri.ts';
import { listConsents } from '../../store/consents.ts';
import { findMfaReset, type PendingMfaReset } from '../../store/mfa-resets.ts';
import { findNewestToken } from '../../store/one-time-tokens.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { listExpiringSecrets } from '../../store/secrets.ts';
import { listSessions } from '../../store/sessions.ts';
import { listReceivedOffers } from '../../store/transfer-offers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Entry, entryIcon, entryList } from '../../web/html/entry-list.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { pendingMfaResetView } from '../../web/html/pending-mfa-reset.ts';
import { avatarUrl, logo } from '../../web/html/pictures.ts';
import { type BrowserAndSystem, describeDevice } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { type Task, taskList } from '../../web/html/task-list.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { mustVerifyEmail, type SignedInUser, signedInUser } from '../../web/session-guard.ts';
import { type ConnectedClient, openApplicationLink } from './open-link.ts';

export function overviewPage(area: FastifyInstance, services: Services): void {
  const { database, config, mailer } = services;

  area.get('/account', async (request, reply) => {
    const user = signedInUser(request);
    const { userId } = user;
    const now = services.now();
    const expiryLimit = new Date(now.getTime() + SECRET_EXPIRY_NOTICE_PERIOD * 1000);
    const mustVerify = mustVerifyEmail(config, user);
    const [consents, sessions, change, offers, endingSecrets, reset] = await Promise.all([
      listConsents(database, userId),
      listSessions(database, userId, now),
      findNewestToken(database, userId, 'change_email', now),
      mustVerify ? [] : listReceivedOffers(database, userId, now),
      listExpiringSecrets(database, userId, { now, before: expiryLimit }),
      findMfaReset(database, userId),
    ]);
    const others = sessions.filter(({ sid }) => sid !== user.sid);
    return reply.page({
      title: (messages) => messages.account.navigation.title,
      main: (messages) =>
        overviewView({
          messages,
          serviceName: config.serviceName,
          account: { ...user, avatar: avatarUrl('', user) },
          canVerify: mailer.available,
          changingTo: change?.email,
          otherSessions: others.map(({ userAgent, lastSeenAt }) => ({
            device: parseUserAgent(userAgent),
            lastSeenAt,
          })),
          offers,
          endingSecrets,
          reset,
          applications: consents.map(({ clientName: name, redirectUris, ...consent }) => ({
            ...consent,
            name: getDisplayName({ ...consent, name }, redirectUris),
            hosts: redirectUris.map(getRedirectUriHost),
          })),
          notice: doneMessage(request, {
            welcome: messages.account.overview.welcome(config.serviceName),
            reset: messages.account.credentials.password.done.reset,
          }),
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  serviceName: string;
  account: SignedInUser & { avatar: string };
  canVerify: boolean;
  changingTo: string | undefined;
  otherSessions: readonly { device: BrowserAndSystem; lastSeenAt: Date }[];
  offers: readonly { kind: ResourceKind; name: string; ownerName: string }[];
  endingSecrets: readonly { kind: ResourceKind; id: string; name: string; endsAt: Date }[];
  reset: PendingMfaReset | undefined;
  applications: readonly (ConnectedClient & { lastUsedAt: Date | null })[];
  notice?: string | undefined;
};

const MAX_LISTED = 5;

function overviewView(view: OverviewView): Html {
  const { messages, account } = view;
  const text = messages.account.overview;
  return accountLayout(
    messages,
    'overview',
    html`${notice(view.notice)}
<div class="door-open">
<img class="avatar" src="${account.avatar}" alt="" width="72" height="72">
<div>
<h1>${text.greeting(account.name)}</h1>
<p class="quiet profile-line">${account.phone !== null && html`<span>${formatPhone(account.phone)}</span> `}<span>${text.memberSince} ${day(account.createdAt, messages)}</span> <span>${text.language[account.locale ?? 'auto']}</span> <span><a href="/account/profile">${text.editProfile}</a></span></p>
</div>
</div>
${view.reset && pendingMfaResetView({ messages, csrf: account.csrf, reset: view.reset })}
${taskList(text.title, listTasks(view), text.nothing)}
<h2>${text.security}</h2>
${entryList(securityEntries(view))}
<h2>${text.applications}</h2>
${applicationList(view)}`,
  );
}

const changeLink = (href: string, label: string, what: string): Html =>
  html`<a class="edit-link" href="${href}">${label}<span class="visually-hidden"> ${what}</span></a>`;

function listTasks(view: OverviewView): Task[] {
  const { messages, account, offers, endingSecrets } = view;
  const text = messages.account.overview;
  const list: Task[] = [];
  for (const { kind, id, name, endsAt } of endingSecrets)
    list.push({
      text: html`${kind === 'api' ? text.apiSecretEnds(name) : text.secretEnds(name)} ${dateTime(endsAt, messages)}.`,
      link: { href: `/console/${kind}s/${id}/secrets`, text: text.newSecret, hiddenText: name },
      isUrgent: true,
    });
  if (!account.emailVerified)
    list.push({
      text: text.unverified,
      ...(view.canVerify && {
        link: { href: '/account/verify', text: messages.account.credentials.verifyFirst.action },
      }),
    });
  if (view.changingTo !== undefined)
    list.push({
      text: text.changing(view.changingTo),
      link: { href: '/account/email', text: text.confirmChange },
    });
  for (const { kind, name, ownerName } of offers)
    list.push({
      text: kind === 'api' ? text.offeredApi(ownerName, name) : text.offered(ownerName, name),
      link: { href: `/console/${kind}s`, text: text.seeOffer, hiddenText: name },
    });
  return list;
}

function securityEntries({ messages, account, otherSessions }: OverviewView): Entry[] {
  const text = messages.account.overview;
  const { account: labels, fields } = messages;
  const { email, emailVerified, passwordSetAt, hasPassword } = account;
  const [latest] = otherSessions;
  const emailState = emailVerified
    ? tag(labels.credentials.verified, 'good')
    : tag(labels.credentials.notVerified, 'waiting');
  const factors = [
    ...(account.passkeyMethods.length > 0 ? [text.factors.passkey] : []),
    ...(account.requiresTotp ? [text.factors.totp] : []),
  ];
  const passwordState =
    passwordSetAt === null
      ? labels.security.passwordSet
      : html`${labels.security.passwordChosen} ${day(passwordSetAt, messages)}`;
  return [
    {
      picture: entryIcon('mail'),
      title: html`<h3><span class="nowrap">${fields.email}</span> ${emailState}</h3>`,
      text: html`<p class="quiet">${breakable(email)}</p>`,
      end: changeLink('/account/email', labels.security.change, text.changeWhat.email),
    },
    {
      picture: entryIcon('lock-keyhole'),
      title: html`<h3>${fields.password}</h3>`,
      text: html`<p class="quiet">${hasPassword ? passwordState : text.noPassword}</p>`,
      end: hasPassword
        ? changeLink('/account/password', labels.security.change, labels.security.changePassword)
        : changeLink('/account/security/password', text.choose, labels.security.changePassword),
    },
    {
      picture: entryIcon('fingerprint'),
      title: html`<h3>${text.strongSignIn} ${factors.map((factor) => tag(factor, 'good'))}</h3>`,
      text: factors.length === 0 && html`<p class="quiet">${labels.security.app.none}</p>`,
      end: changeLink(
        '/account/security',
        factors.length === 0 ? text.add : text.see,
        text.changeWhat.security,
      ),
    },
    {
      picture: entryIcon('laptop'),
      title: html`<h3>${labels.navigation.sessions}</h3>`,
      text: html`<p class="quiet">${latest === undefined ? text.onlyHere : html`${text.alsoIn(otherSessions.length)} ${describeDevice(latest.device, messages, { within: true })}, ${timeAgo(latest.lastSeenAt, messages)}`}</p>`,
      end: changeLink('/account/sessions', text.see, text.changeWhat.sessions),
    },
  ];
}

function applicationList(view: OverviewView): Html {
  const { messages, applications } = view;
  const text = messages.account.overview;
  if (applications.length === 0)
    return html`<p class="quiet">${text.purpose(view.serviceName)} ${text.noApplication}</p>`;
  const hiddenCount = applications.length - MAX_LISTED;
  return html`${entryList(
    applications.slice(0, MAX_LISTED).map(({ lastUsedAt, ...client }) => ({
      picture: logo(client, 36),
      title: html`<h3><bdi>${client.name}</bdi></h3>`,
      text: html`<p class="quiet">${lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${timeAgo(lastUsedAt, messages)}`}</p>`,
      end: openApplicationLink(client, messages),
    })),
  )}
<p class="paging"><a class="touch-target" href="/account/applications">${hiddenCount > 0 ? text.allApplicationsAnd(hiddenCount) : text.allApplications(applications.length)}</a></p>`;
}
