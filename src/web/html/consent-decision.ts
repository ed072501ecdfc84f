// Shared elements of the consent and device pages: the parties and the decision form.
import type { Messages } from '../../i18n/index.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import { avatar } from './account-rows.ts';
import { breakable } from './breakable.ts';
import { submitButton } from './buttons.ts';
import { form } from './form.ts';
import { type Html, html } from './html.ts';
import { logo } from './pictures.ts';
import { tag } from './tag.ts';

export type ConsentParties = {
  messages: Messages;
  application: {
    clientId: string;
    name: string;
    logo?: string | null | undefined;
    /** Shown because developers can choose any name and logo. */
    hosts: readonly string[];
    verified?: boolean | undefined;
  };
  about?: Html | undefined;
  account: ClaimsSubject;
  switchAccountHref?: string | undefined;
};

export const partiesView = (view: ConsentParties): Html => partiesList(clientRow(view), view);

export const partiesList = (client: Html, account: AccountInUse): Html =>
  html`<dl class="parties">
${client}
${accountRow(account)}
</dl>`;

function clientRow({ messages: { consent: text }, application, about }: ConsentParties): Html {
  const { verified } = application;
  return html`<div>
<dt class="visually-hidden">${text.address}</dt>
<dd class="party">${logo(application, 48)}<div class="party-text">
<p class="party-name">${application.hosts.map((host) => html`<strong class="host">${host}</strong> `)}${verified ? tag(text.verifiedTag, 'good', 'circle-check') : tag(text.unverifiedTag, 'waiting')}</p>
<p class="party-more">${verified ? text.verified : text.unverified} ${text.addressAdvice}</p>
${about}</div></dd>
</div>`;
}

type AccountInUse = Pick<ConsentParties, 'messages' | 'account' | 'switchAccountHref'>;

export const accountParty = (view: AccountInUse): Html =>
  html`<dl class="parties">
${accountRow(view)}
</dl>`;

const accountRow = ({ messages: { consent: text }, account, switchAccountHref }: AccountInUse): Html =>
  html`<div>
<dt class="visually-hidden">${text.account}</dt>
<dd class="party">${avatar(account, 48)}<div class="party-text party-text--account">
<p class="party-name"><strong><bdi>${account.name}</bdi></strong></p>
<p class="party-more host">${breakable(account.email)}</p>
${switchAccountHref && html`<p class="party-link"><a href="${switchAccountHref}">${text.switchAccount}</a></p>`}
</div></dd>
</div>`;

export const DECISION_FORM_ID = 'decision';

export const decisionForm = (options: {
  messages: Messages;
  action: string;
  csrf: string;
  pending?: string | undefined;
  hidden?: Html | undefined;
}): Html =>
  html`<div class="decision">
${form({
  ...options,
  id: DECISION_FORM_ID,
  body: html`${options.hidden}<div class="choices">
${submitButton({ text: options.messages.consent.deny, kind: 'secondary', name: 'decision', value: 'deny' })}
${submitButton({ text: options.messages.consent.allow, name: 'decision', value: 'allow', isDelayed: true })}
</div>`,
})}
</div>`;
