// Owns what the pages have in common on which a person lets an application in, or a device of it: who asks and for which
// account, and the two answers, which stay within sight on a page that is longer than the window.
import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import { avatar } from './account-rows.ts';
import { form, submitButton } from './form.ts';
import { type Html, html } from './html.ts';
import { logoOf } from './pictures.ts';
import { tag } from './tag.ts';

export type Asking = {
  messages: Messages;
  application: {
    name: string;
    logo?: string | null | undefined;
    /** Where its callbacks lead: anybody may take a name and a logo, an address not. */
    hosts: readonly string[];
    /** Whether an operator vouches for it; what else it says of itself is its owner's word. */
    verified?: boolean | undefined;
  };
  about?: Html | undefined;
  account: Person;
  switchAccountHref?: string | undefined;
};

export const partiesView = (asking: Asking): Html => partiesOf(applicationView(asking), asking);

export const partiesOf = (asking: Html, account: AccountInUse): Html =>
  html`<dl class="parties">
${asking}
${accountRow(account)}
</dl>`;

function applicationView({ messages: { consent: text }, application, about }: Asking): Html {
  const { verified } = application;
  return html`<div>
<dt class="unseen">${text.address}</dt>
<dd class="party">${logoOf(application, 48)}<div class="party-text">
<p class="party-name">${application.hosts.map((host) => html`<strong class="host">${host}</strong> `)}${!verified && tag(text.unverifiedTag, 'waiting')}</p>
<p class="party-more">${verified ? text.verified : text.unverified} ${text.addressAdvice}</p>
${about}</div></dd>
</div>`;
}

type AccountInUse = Pick<Asking, 'messages' | 'account' | 'switchAccountHref'>;

/** The account alone, where no application is known yet. */
export const accountView = (view: AccountInUse): Html =>
  html`<dl class="parties">
${accountRow(view)}
</dl>`;

const accountRow = ({ messages: { consent: text }, account, switchAccountHref }: AccountInUse): Html =>
  html`<div>
<dt class="unseen">${text.account}</dt>
<dd class="party">${avatar(account, 48)}<div class="party-text party-text--account">
<p class="party-name"><strong><bdi>${account.name}</bdi></strong></p>
<p class="party-more host">${account.email}</p>
${switchAccountHref && html`<p class="party-way"><a href="${switchAccountHref}">${text.switchAccount}</a></p>`}
</div></dd>
</div>`;

/** The id of the form with the two answers, for the checkboxes outside it. */
export const DECISION_FORM = 'decision';

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
  id: DECISION_FORM,
  body: html`${options.hidden}<div class="choices">
${submitButton({ text: options.messages.consent.deny, kind: 'secondary', name: 'decision', value: 'deny' })}
${submitButton({ text: options.messages.consent.allow, name: 'decision', value: 'allow', deliberate: true })}
</div>`,
})}
</div>`;
