// /account/delete: deletes the account.
import type { FastifyInstance } from 'fastify';
import { deleteOwnAccount } from '../../accounts/deletion.ts';
import { notifyInTransaction } from '../../accounts/notifications.ts';
import type { Services } from '../../http/services.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { listConsents } from '../../store/consents.ts';
import { listOwnedClientsWithUsers } from '../../store/data-export.ts';
import { emailKey } from '../../store/emails.ts';
import { listOwnedApis } from '../../store/owned-apis.ts';
import { requestContext } from '../../web/browser.ts';
import { clearCookie } from '../../web/cookies.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { ACCOUNT_DELETED_URL } from '../../web/sign-out-redirects.ts';

const DAY = 24 * 3600;

export function accountDeletionPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.formPage({
    path: '/account/delete',
    loadSubject: signedInUser,
    parse: (form) => ({ enteredEmail: normalizeEmail(form.get('email')) }),
    validate: ({ subject: { email }, fields: { enteredEmail } }) =>
      emailKey(enteredEmail) === emailKey(email)
        ? []
        : [{ field: 'email', text: (messages) => messages.account.deletion.emailDiffers }],
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, reply, subject: member }, transaction) {
      const context = requestContext(request);
      const { userId } = member;
      const outcome = await deleteOwnAccount(transaction, { userId, ip: context.ip }, services.now());
      if (outcome === 'lastAdmin')
        return { errors: [{ text: (messages) => messages.account.deletion.lastAdmin }] };
      if (outcome === 'deleted')
        await notifyInTransaction(
          services,
          transaction,
          { kind: 'account_deleted', account: member, ...context },
          services.now(),
        );
      clearCookie(reply, 'session');
      return ACCOUNT_DELETED_URL;
    },
    async render({ subject: { userId, email }, fields: { enteredEmail } }) {
      const consents = (await listConsents(database, userId)).length;
      const own = await listOwnedClientsWithUsers(database, userId);
      const apis = await listOwnedApis(database, userId);
      const auditDays = Math.ceil(config.auditRetention / DAY);
      return {
        title: (messages) => messages.account.deletion.title,
        main: (form) => deletionView({ ...form, email, enteredEmail, consents, own, apis, auditDays }),
      };
    },
  });
}

type DeletionView = FormState & {
  email: string;
  enteredEmail: string;
  consents: number;
  own: readonly { name: string; users: number }[];
  apis: readonly { name: string }[];
  auditDays: number;
};

function deletionView(view: DeletionView): Html {
  const { messages, errors, own, apis } = view;
  const text = messages.account.deletion;
  return accountLayout(
    messages,
    'data',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p>${text.goes}</p>
<ul>
<li>${text.profile}</li>
<li>${text.sessions}</li>
<li>${text.consents(view.consents)}</li>
${itemList(text.own, own, ({ users }) => html` (${text.ownUsers(users)})`)}${itemList(text.apis, apis)}</ul>
${own.some(({ users }) => users > 0) && html`<p>${text.ownText}</p>`}
<p>${text.stays(view.auditDays)}</p>
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
    value: view.enteredEmail,
    errors,
  })}
${reauthenticationFields(view)}<p class="actions">
${submitButton({ text: text.confirm, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: '/account', kind: 'secondary' })}
</p>`,
})}`,
    { within: true },
  );
}

function itemList<Item extends { name: string }>(
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
