// Confirmation pages for administrator actions on accounts, applications, APIs and agents.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { ModerationOutcome, Moderator } from '../../accounts/moderation.ts';
import type { sendAdminEmail } from '../../credentials/admin-emails.ts';
import type { MfaResetOutcome } from '../../credentials/mfa-reset.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import { isSafeMethod } from '../../http/request.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { Queryable } from '../../store/database.ts';
import { emailKey } from '../../store/emails.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { type AdminSection, adminNavigation } from './layout.ts';

const MAX_REASON_LENGTH = 200;

interface ActionLabels {
  action: string;
  text: string;
  back?: string;
}

interface Deletion {
  email: string;
  owned: (messages: Messages) => Html;
}

interface ActionFields {
  reason: string;
  email: string;
  passkeys: boolean;
}

type Outcome = ModerationOutcome | MfaResetOutcome | Awaited<ReturnType<typeof sendAdminEmail>>;

/** An action's name is the last segment of its page's URL. */
export interface Actions<Row, Action extends string> {
  section: AdminSection;
  path: string;
  find: (request: FastifyRequest) => Promise<Row>;
  pathOf: (row: Row) => string;
  actionUrl?: (row: Row, action: Action) => string;
  /** The URL after a successful action. Defaults to the row's URL. */
  urlAfter?: (row: Row, action: Action) => string;
  nameOf: (row: Row) => string;
  summary: (row: Row, messages: Messages, action: Action) => Html;
  actions: readonly Action[];
  deleting?: readonly Action[];
  listPossible: (row: Row, request: FastifyRequest) => readonly Action[];
  /** Whether the row's page links to the action. */
  offers?: (action: Action, row: Row) => boolean;
  dangerous: readonly Action[];
  /** Whether the confirmation pages say that the user will get an email. */
  notifiesUser?: boolean;
  labels: (messages: Messages) => Record<Action, ActionLabels>;
  /** @param transaction the form token's transaction if the action deletes the row, otherwise the pool */
  perform: (
    action: Action,
    row: Row,
    by: Moderator,
    fields: ActionFields,
    transaction: Queryable,
  ) => Promise<Outcome>;
  deletionOf?: (action: Action, row: Row) => Deletion | undefined;
  extraField?: (action: Action, row: Row, fields: ActionFields, messages: Messages) => Html | false;
}

export const moderatorOf = (request: FastifyRequest, reason = ''): Moderator => ({
  userId: signedInUser(request).userId,
  ip: clientNetwork(request),
  reason: reason || undefined,
});

export const parseReason = (form: Parameters): string => cleanName(form.get('reason') ?? '');

export const validateReason = (reason: string): ValidationError[] =>
  [...reason].length > MAX_REASON_LENGTH
    ? [{ field: 'reason', text: ({ operations }) => operations.reasonTooLong }]
    : [];

export const reasonField = (
  { messages: { fields, operations }, errors }: Pick<FormState, 'messages' | 'errors'>,
  reason: string,
): Html =>
  textField({
    name: 'reason',
    label: operations.reason,
    hint: operations.reasonHint,
    value: reason,
    autocomplete: 'off',
    optional: fields.optional,
    errors,
  });

const confirmationTitle = <Row, Action extends string>(
  { labels, nameOf }: Actions<Row, Action>,
  action: Action,
  row: Row,
  messages: Messages,
): string => messages.operations.actionOn(labels(messages)[action].action, nameOf(row));

const confirmationUrl = <Row, Action extends string>(
  { pathOf, actionUrl = (row, action) => `${pathOf(row)}/${action}` }: Actions<Row, Action>,
  row: Row,
  action: Action,
): string => actionUrl(row, action);

export function actionLinks<Row, Action extends string>(
  actions: Actions<Row, Action>,
  wanted: readonly Action[],
  row: Row,
  request: FastifyRequest,
  messages: Messages,
): Html | undefined {
  const { listPossible, offers = () => true, dangerous, labels } = actions;
  const possible = listPossible(row, request);
  const offered = wanted.filter((action) => possible.includes(action) && offers(action, row));
  if (offered.length === 0) return undefined;
  return html`<span class="changes">${offered.map(
    (action) =>
      html`<a class="${dangerous.includes(action) ? 'edit-link edit-link--danger' : 'edit-link'}" href="${confirmationUrl(actions, row, action)}">${labels(messages)[action].action}</a> `,
  )}</span>`;
}

/** Each page asks for a reason and requires re-authentication. */
export function actionPages<Row, Action extends string>(
  area: FastifyInstance,
  actions: Actions<Row, Action>,
): void {
  const { pathOf, deletionOf = () => undefined } = actions;
  for (const action of actions.actions)
    area.formPage({
      path: `${actions.path}/${action}`,
      loadSubject: actions.find,
      respondInstead: (row, request) =>
        !isSafeMethod(request) || actions.listPossible(row, request).includes(action)
          ? undefined
          : pathOf(row),
      showsErrorsFirst: true,
      parse: (form): ActionFields => ({
        reason: parseReason(form),
        email: form.get('email') ?? '',
        passkeys: form.get('passkeys') === 'yes',
      }),
      validate({ subject: row, fields: { reason, email } }) {
        const errors: ValidationError[] = [];
        const deletion = deletionOf(action, row);
        if (deletion !== undefined && emailKey(email) !== emailKey(deletion.email))
          errors.push({ field: 'email', text: ({ operations }) => operations.emailDiffers });
        return [...errors, ...validateReason(reason)];
      },
      requiresReauthentication: true,
      ...(actions.deleting?.includes(action) && { deletesSubject: true as const }),
      async act({ request, subject: row, fields }, transaction) {
        const moderator = moderatorOf(request, fields.reason);
        const outcome = await actions.perform(action, row, moderator, fields, transaction);
        switch (outcome) {
          case 'self':
          case 'lastAdmin':
            return { errors: [{ text: ({ operations }) => operations.refusals[outcome] }] };
          case 'tooMany':
            return { status: 429, errors: [{ text: ({ operations }) => operations.refusals.tooMany }] };
          case 'notAdmin':
          case 'notFound':
            throw notFound();
          case 'done':
          case 'sent':
          case 'requested':
            return `${actions.urlAfter?.(row, action) ?? pathOf(row)}?done=${action}`;
          default:
            return pathOf(row);
        }
      },
      render: ({ subject: row, fields }) => ({
        title: (messages) => confirmationTitle(actions, action, row, messages),
        main: (state) => confirmationView(actions, action, row, fields, state),
      }),
    });
}

function confirmationView<Row, Action extends string>(
  actions: Actions<Row, Action>,
  action: Action,
  row: Row,
  fields: ActionFields,
  state: FormState,
): Html {
  const { messages, errors } = state;
  const text = messages.operations;
  const labels = actions.labels(messages)[action];
  const path = actions.pathOf(row);
  const deletion = actions.deletionOf?.(action, row);
  return html`${adminNavigation(messages, actions.section, { within: true })}
${formStatus(state)}
<h1>${confirmationTitle(actions, action, row, messages)}</h1>
<p class="lead">${labels.text}${actions.notifiesUser && ` ${text.userNotified}`}</p>
<dl class="facts facts--framed facts--roomy">
${actions.summary(row, messages, action)}
</dl>
${deletion?.owned(messages)}
${form({
  action: confirmationUrl(actions, row, action),
  csrf: state.csrf,
  body: html`${
    deletion &&
    textField({
      name: 'email',
      type: 'email',
      label: text.typeEmail,
      hint: html`${text.typeHint} <code>${breakable(deletion.email)}</code>`,
      value: fields.email,
      autocomplete: 'off',
      errors,
    })
  }
${actions.extraField?.(action, row, fields, messages)}${reasonField(state, fields.reason)}
${reauthenticationFields(state)}
<p class="actions">
${submitButton({ text: labels.action, kind: actions.dangerous.includes(action) ? 'danger' : 'primary' })}
${buttonLink({ text: labels.back ?? text.cancel, href: path, kind: 'secondary' })}
</p>`,
})}`;
}
