// /account/delete: deleting the account.
import type { FastifyInstance } from 'fastify';
import { deleteOwnAccount } from '../../accounts/deletion.ts';
import { notifyWithin } from '../../accounts/notifications.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import { listConsents } from '../../store/consents.ts';
import { emailKey } from '../../store/emails.ts';
import { listOwnApplications } from '../../store/exported-data.ts';
import { listOwnApis } from '../../store/own-apis.ts';
import { fromOf } from '../../web/browser.ts';
import { forgetCookie } from '../../web/cookies.ts';
import { DELETED } from '../../web/farewells.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';

const DAY = 24 * 3600;

export function deletionPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: '/account/delete',
    about: memberOf,
    read: (form) => ({ typed: readEmail(form.get('email')) }),
    faults: ({ about: { email }, fields: { typed } }) =>
      emailKey(typed) === emailKey(email)
        ? []
        : [{ field: 'email', text: (messages) => messages.account.deletion.emailDiffers }],
    proof: true,
    deletes: true,
    async act({ request, reply, about: member }, transaction) {
      const from = fromOf(request);
      const { userId } = member;
      const outcome = await deleteOwnAccount(transaction, { userId, address: from.address }, parts.now());
      if (outcome === 'lastOperator')
        return { faults: [{ text: (messages) => messages.account.deletion.lastOperator }] };
      if (outcome === 'deleted')
        await notifyWithin(
          parts,
          transaction,
          { kind: 'account_deleted', account: member, ...from },
          parts.now(),
        );
      forgetCookie(reply, 'session');
      return DELETED;
    },
    async page({ about: { userId, email }, fields: { typed } }) {
      const consents = (await listConsents(database, userId)).length;
      const own = await listOwnApplications(database, userId);
      const apis = await listOwnApis(database, userId);
      const remembered = Math.ceil(config.auditRetention / DAY);
      return {
        title: (messages) => messages.account.deletion.title,
        main: (form) => deletionView({ ...form, email, typed, consents, own, apis, remembered }),
      };
    },
  });
}

type DeletionView = FormState & {
  email: string;
  typed: string;
  consents: number;
  /** Applications that the person registered, and how many people use each. */
  own: readonly { name: string; users: number }[];
  apis: readonly { name: string }[];
  remembered: number;
};

function deletionView(view: DeletionView): Html {
  const { messages, errors, own, apis } = view;
  const text = messages.account.deletion;
  return accountFrame(
    messages,
    'data',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p>${text.goes}</p>
<ul>
<li>${text.profile}</li>
<li>${text.sessions}</li>
<li>${text.consents(view.consents)}</li>
${named(text.own, own, ({ users }) => html` (${text.ownUsers(users)})`)}${named(text.apis, apis)}</ul>
${own.some(({ users }) => users > 0) && html`<p>${text.ownText}</p>`}
<p>${text.stays(view.remembered)}</p>
${form({
  action: '/account/delete',
  csrf: view.csrf,
  body: html`${textField({
    name: 'email',
    label: text.typeEmail,
    hint: text.typeEmailHint(view.email),
    type: 'email',
    inputmode: 'email',
    autocomplete: 'off',
    value: view.typed,
    errors,
  })}
${confirmationField(view)}<p class="actions">
${submitButton({ text: text.confirm, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: '/account', kind: 'secondary' })}
</p>`,
})}`,
    { within: true },
  );
}

function named<Item extends { name: string }>(
  heading: string,
  items: readonly Item[],
  detail: (item: Item) => Html | undefined = () => undefined,
): Html | undefined {
  if (items.length === 0) return undefined;
  return html`<li>${heading}
<ul>
${items.map(
  (item) => html`<li><strong><bdi>${item.name}</bdi></strong>${detail(item)}</li>
`,
)}</ul>
</li>
`;
}
