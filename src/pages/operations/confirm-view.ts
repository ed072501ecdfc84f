// Owns the look of the page that asks an operator before anything is done to somebody's account or application.

import type { Messages } from '../../i18n/index.ts';
import type { Owned } from '../../store/account-lists.ts';
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
import { type OperationsSection, operationsNavigation, ownedList } from './frame-view.ts';

type OwnedNames = Owned<{ name: string }>;
export type Fact =
  | { label: string; value: string }
  | { label: string; value: string | readonly string[]; code: true };

export type ActionWords = { action: string; title: (name: string) => string; text: string };

export type ConfirmView = FormState & {
  section: OperationsSection;
  words: ActionWords;
  /** Whom or what it is about: a name, and what tells it apart from others of that name. */
  name: string;
  identity: Fact[];
  /** Of what cannot be undone: the email that has to be typed, and what goes with the account. */
  deletes?: { email: string; applications: OwnedNames; apis: OwnedNames } | undefined;
  action: string;
  /** Where to go back to. */
  back: string;
  typed: { reason?: string | undefined; email?: string | undefined };
  danger: boolean;
  /** What is asked beside all that. */
  extra?: Html | false;
};

/** Says what will happen, and asks for what makes sure that it is meant. */
export function confirmView(view: ConfirmView): Html {
  const { messages, words, deletes, errors, typed } = view;
  const text = messages.operations;
  return html`${operationsNavigation(messages, view.section, { within: true })}
${formStatus(view)}
<h1>${words.title(view.name)}</h1>
<p class="lead">${words.text}</p>
<dl class="facts facts--framed facts--roomy">
${view.identity.map(
  (fact) => html`<div><dt>${fact.label}</dt><dd>${factValue(fact)}</dd></div>
`,
)}</dl>
${deletes && goesWithIt(text.goesWithIt, deletes.applications, messages)}
${deletes && goesWithIt(text.apisGoWithIt, deletes.apis, messages)}
${form({
  action: view.action,
  csrf: view.csrf,
  body: html`${
    deletes &&
    textField({
      name: 'email',
      type: 'email',
      label: text.typeEmail,
      hint: text.typeEmailHint(deletes.email),
      value: typed.email,
      autocomplete: 'off',
      errors,
    })
  }
${view.extra}${textField({ name: 'reason', label: text.reason, hint: text.reasonHint, value: typed.reason, autocomplete: 'off', optional: messages.fields.optional, errors })}
${confirmationField(view)}
<p class="actions">
${submitButton({ text: words.action, kind: view.danger ? 'danger' : 'primary' })}
${buttonLink({ text: text.cancel, href: view.back, kind: 'secondary' })}
</p>`,
})}`;
}

const factValue = (fact: Fact) =>
  'code' in fact ? [fact.value].flat().map((line) => html`<code class="line">${line}</code> `) : fact.value;

const goesWithIt = (words: (count: number) => string, owned: OwnedNames, messages: Messages): Html | false =>
  owned.count > 0 &&
  html`<p>${words(owned.count)}</p>
${ownedList(owned, ({ name }) => html`<bdi>${name}</bdi>`, messages)}`;
