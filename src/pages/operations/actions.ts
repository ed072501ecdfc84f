// What administrators do to an account, an application, an API or an agent: a confirmation page for each action.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { Moderated, Moderator } from '../../accounts/moderation.ts';
import type { sendToAccount } from '../../credentials/operator-mails.ts';
import type { Asked } from '../../credentials/second-factor-reset.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isSafe } from '../../http/request.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Queryable } from '../../store/database.ts';
import { emailKey } from '../../store/emails.ts';
import type { Fault } from '../../web/faults.ts';
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
import { type OperationsSection, operationsNavigation } from './frame-view.ts';

const REASON_MAX = 200;

interface ActionWords {
  action: string;
  text: string;
}

/** A deletion: the email that the administrator types to confirm it, and lists of what else it deletes. */
interface Deletion {
  email: string;
  owned: (messages: Messages) => Html;
}

interface Confirmed {
  reason: string;
  email: string;
  passkeys: boolean;
}

type Outcome = Moderated | Asked | Awaited<ReturnType<typeof sendToAccount>>;

/** The actions of one kind of row, named as in URLs. */
export interface Actions<Row, Action extends string> {
  section: OperationsSection;
  list: string;
  /** The route of a row's page. */
  url: string;
  find: (request: FastifyRequest) => Promise<Row>;
  pathOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  facts: (row: Row, messages: Messages, locale: Locale, request: FastifyRequest) => Html;
  /** All of them, in the order of their buttons. */
  all: readonly Action[];
  /** Those that would change something now. */
  possible: (row: Row, request: FastifyRequest) => readonly Action[];
  dangerous: readonly Action[];
  words: (messages: Messages) => Record<Action, ActionWords>;
  /** @param transaction of a deletion, which the form is used up in */
  perform: (
    action: Action,
    row: Row,
    by: Moderator,
    fields: Confirmed,
    transaction: Queryable,
  ) => Promise<Outcome>;
  deletes?: (action: Action, row: Row) => Deletion | undefined;
  /** A field beside the reason. */
  field?: (action: Action, row: Row, fields: Confirmed, messages: Messages) => Html | false;
}

/** Who acts, for the audit log. */
export const operatorOf = (request: FastifyRequest, reason = ''): Moderator => ({
  userId: memberOf(request).userId,
  address: addressOf(request),
  reason: reason || undefined,
});

const titleOf = <Row, Action extends string>(
  { words, nameOf }: Actions<Row, Action>,
  action: Action,
  row: Row,
  messages: Messages,
): string => messages.operations.actionOn(words(messages)[action].action, nameOf(row));

export function actionButtons<Row, Action extends string>(
  { all, possible, pathOf, dangerous, words }: Actions<Row, Action>,
  row: Row,
  request: FastifyRequest,
  messages: Messages,
): Html {
  const now = possible(row, request);
  return html`<p class="actions actions--choices">
${all
  .filter((action) => now.includes(action))
  .map(
    (action) => html`${buttonLink({
      text: words(messages)[action].action,
      href: `${pathOf(row)}/${action}`,
      kind: dangerous.includes(action) ? 'danger' : 'secondary',
    })}
`,
  )}</p>`;
}

/** The confirmation page of each action: it asks for a reason, and re-authenticates. */
export function actionPages<Row, Action extends string>(
  area: FastifyInstance,
  actions: Actions<Row, Action>,
): void {
  const { pathOf, deletes = () => undefined } = actions;
  for (const action of actions.all)
    area.formPage({
      url: `${actions.url}/${action}`,
      about: actions.find,
      elsewhere: (row, request) =>
        !isSafe(request) || actions.possible(row, request).includes(action) ? undefined : pathOf(row),
      keepsRefused: true,
      read: (form): Confirmed => ({
        reason: cleanName(form.get('reason') ?? ''),
        email: form.get('email') ?? '',
        passkeys: form.get('passkeys') === 'yes',
      }),
      faults({ about: row, fields: { reason, email } }) {
        const faults: Fault[] = [];
        const deletion = deletes(action, row);
        if (deletion !== undefined && emailKey(email) !== emailKey(deletion.email))
          faults.push({ field: 'email', text: ({ operations }) => operations.emailDiffers });
        if ([...reason].length > REASON_MAX)
          faults.push({ field: 'reason', text: ({ operations }) => operations.reasonTooLong });
        return faults;
      },
      proof: true,
      ...(action === 'delete' && { deletes: true as const }),
      async act({ request, about: row, fields }, transaction) {
        const by = operatorOf(request, fields.reason);
        const outcome = await actions.perform(action, row, by, fields, transaction);
        switch (outcome) {
          case 'self':
          case 'lastOperator':
            return { faults: [{ text: ({ operations }) => operations.refusals[outcome] }] };
          case 'tooMany':
            return { status: 429, faults: [{ text: ({ operations }) => operations.refusals.tooMany }] };
          case 'notOperator':
          case 'gone':
            throw notFound();
          case 'done':
          case 'sent':
          case 'asked':
            return `${deletes(action, row) ? actions.list : pathOf(row)}?done=${action}`;
          default:
            return pathOf(row);
        }
      },
      page: ({ request, about: row, fields }) => ({
        title: (messages) => titleOf(actions, action, row, messages),
        main: (state, locale) =>
          confirmView(
            actions,
            action,
            row,
            fields,
            state,
            actions.facts(row, state.messages, locale, request),
          ),
      }),
    });
}

function confirmView<Row, Action extends string>(
  actions: Actions<Row, Action>,
  action: Action,
  row: Row,
  fields: Confirmed,
  state: FormState,
  facts: Html,
): Html {
  const { messages, errors } = state;
  const text = messages.operations;
  const words = actions.words(messages)[action];
  const path = actions.pathOf(row);
  const deletion = actions.deletes?.(action, row);
  return html`${operationsNavigation(messages, actions.section, { within: true })}
${formStatus(state)}
<h1>${titleOf(actions, action, row, messages)}</h1>
<p class="lead">${words.text}</p>
<dl class="facts facts--framed facts--roomy">
${facts}
</dl>
${deletion?.owned(messages)}
${form({
  action: `${path}/${action}`,
  csrf: state.csrf,
  body: html`${
    deletion &&
    textField({
      name: 'email',
      type: 'email',
      label: text.typeEmail,
      hint: text.typeEmailHint(deletion.email),
      value: fields.email,
      autocomplete: 'off',
      errors,
    })
  }
${actions.field?.(action, row, fields, messages)}${textField({ name: 'reason', label: text.reason, hint: text.reasonHint, value: fields.reason, autocomplete: 'off', optional: messages.fields.optional, errors })}
${confirmationField(state)}
<p class="actions">
${submitButton({ text: words.action, kind: actions.dangerous.includes(action) ? 'danger' : 'primary' })}
${buttonLink({ text: text.cancel, href: path, kind: 'secondary' })}
</p>`,
})}`;
}
