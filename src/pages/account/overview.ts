// GET /account: the account, its security, and what to do.
import type { FastifyInstance } from 'fastify';
import { readDevice } from '../../accounts/browser-name.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { listConsents } from '../../store/consents.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import type { Kind } from '../../store/owned.ts';
import { findReset, type PendingReset } from '../../store/second-factor-resets.ts';
import { listEndingSecrets } from '../../store/secrets.ts';
import { listSessions } from '../../store/sessions.ts';
import { listReceivedOffers } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { avatarAddress } from '../../web/html/pictures.ts';
import { deviceInWords, type NamedDevice, resetInWords } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, day, moment } from '../../web/html/time.ts';
import { type Task, worthDoing } from '../../web/html/worth-doing.ts';
import { type Member, memberOf, mustVerifyEmail } from '../../web/member.ts';

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
    const [consents, sessions, change, offers, endingSecrets, reset] = await Promise.all([
      listConsents(database, userId),
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
          account: { ...member, avatar: avatarAddress('', member) },
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

type OverviewView = {
  messages: Messages;
  serviceName: string;
  account: Member & { avatar: string };
  canVerify: boolean;
  changingTo: string | undefined;
  otherSessions: readonly { device: NamedDevice; lastSeenAt: Date }[];
  offers: readonly { kind: Kind; name: string; ownerName: string }[];
  endingSecrets: readonly { kind: Kind; id: string; name: string; endsAt: Date }[];
  reset: PendingReset | undefined;
  applications: readonly { name: string; lastUsedAt: Date | null }[];
  notice?: string | undefined;
};

const NAMED = 5;

function overviewView(view: OverviewView): Html {
  const { messages, account } = view;
  const text = messages.account.overview;
  return accountFrame(
    messages,
    'overview',
    html`${notice(view.notice)}
<div class="inside">
<img class="avatar" src="${account.avatar}" alt="" width="72" height="72">
<h1>${text.greeting(account.name)}</h1>
</div>
${worthDoing(text, tasks(view))}
<h2>${text.security}</h2>
${security(view)}
<h2>${text.applications}</h2>
${applicationList(view)}
<div class="heading">
<h2>${text.facts}</h2>
${change('/account/profile', messages.account.security.change, text.changeWhat.profile)}
</div>
<dl class="facts facts--framed">
<div><dt>${messages.fields.name}</dt><dd><bdi>${account.name}</bdi></dd></div>
<div><dt>${messages.account.profile.phone}</dt><dd>${account.phone === null ? html`<span class="quiet">${text.noPhone}</span>` : phoneInWords(account.phone)}</dd></div>
<div><dt>${messages.account.profile.language}</dt><dd>${account.locale === null ? messages.account.profile.languageAuto : messages.layout.languageNames[account.locale]}</dd></div>
<div><dt>${text.memberSince}</dt><dd>${day(account.createdAt, messages)}</dd></div>
</dl>`,
  );
}

const change = (href: string, words: string, what: string): Html =>
  html`<a class="change" href="${href}">${words}<span class="unseen"> ${what}</span></a>`;

function tasks(view: OverviewView): Task[] {
  const { messages, account, offers, endingSecrets } = view;
  const text = messages.account.overview;
  const found: Task[] = [];
  if (view.reset !== undefined)
    found.push({
      text: html`${resetInWords(view.reset, messages)} ${messages.account.security.reset.unlessYou}`,
      way: { href: '/account/security', text: messages.account.security.reset.see },
      pressing: true,
    });
  for (const { kind, id, name, endsAt } of endingSecrets)
    found.push({
      text: html`${kind === 'api' ? text.apiSecretEnds(name) : text.secretEnds(name)} ${moment(endsAt, messages)}.`,
      way: { href: `/console/${kind}s/${id}/secrets`, text: text.newSecret, unseen: name },
      pressing: true,
    });
  if (!account.emailVerified)
    found.push({
      text: text.unverified,
      ...(view.canVerify && {
        way: { href: '/account/verify', text: messages.account.credentials.verifyFirst.action },
      }),
    });
  if (view.changingTo !== undefined)
    found.push({
      text: text.changing(view.changingTo),
      way: { href: '/account/email', text: text.confirmChange },
    });
  for (const { kind, name, ownerName } of offers)
    found.push({
      text: kind === 'api' ? text.offeredApi(ownerName, name) : text.offered(ownerName, name),
      way: { href: `/console/${kind}s`, text: text.seeOffer, unseen: name },
    });
  return found;
}

function security({ messages, account, otherSessions }: OverviewView): Html {
  const text = messages.account.overview;
  const { email, emailVerified, passwordChosenAt } = account;
  const [latest] = otherSessions;
  const state = tag(
    emailVerified ? messages.account.credentials.verified : messages.account.credentials.notVerified,
    emailVerified ? 'good' : 'waiting',
  );
  return html`<dl class="facts facts--framed">
<div><dt>${messages.fields.email}</dt><dd class="row"><span><span class="host">${email}</span> ${state}</span>${change('/account/email', messages.account.security.change, text.changeWhat.email)}</dd></div>
<div><dt>${messages.fields.password}</dt><dd class="row">${
    account.hasPassword
      ? html`<span>${passwordChosenAt === null ? messages.account.security.passwordSet : html`${messages.account.security.passwordChosen} ${ago(passwordChosenAt, messages)}`}</span>${change('/account/password', messages.account.security.change, messages.account.security.changePassword)}`
      : html`<span class="quiet">${text.noPassword}</span>${change('/account/security/password', text.choose, messages.account.security.changePassword)}`
  }</dd></div>
<div><dt>${messages.account.parts.sessions}</dt><dd class="row"><span>${latest === undefined ? text.onlyHere : html`${text.alsoIn(otherSessions.length)} ${deviceInWords(latest.device, messages, { within: true })}, ${ago(latest.lastSeenAt, messages)}`}</span>${change('/account/sessions', text.see, text.changeWhat.sessions)}</dd></div>
</dl>`;
}

function applicationList(view: OverviewView): Html {
  const { messages, applications } = view;
  const text = messages.account.overview;
  if (applications.length === 0)
    return html`<p class="quiet">${text.purpose(view.serviceName)} ${text.noApplication}</p>`;
  const more = applications.length - NAMED;
  return html`<dl class="facts facts--framed">
${applications.slice(0, NAMED).map(
  ({
    name,
    lastUsedAt,
  }) => html`<div><dt><bdi>${name}</bdi></dt><dd>${lastUsedAt === null ? html`<span class="quiet">${text.neverUsed}</span>` : html`${text.lastUsed} ${ago(lastUsedAt, messages)}`}</dd></div>
`,
)}</dl>
<p class="paging"><a class="reachable" href="/account/applications">${more > 0 ? text.allApplicationsAnd(more) : text.allApplications(applications.length)}</a></p>`;
}
