// Owns the form kit: error summary, fields with label, hint and error, buttons, hidden inputs, notices.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { passkeyProof } from './passkey.ts';

/** One thing to put right; `field` is the id of the field it belongs to, absent when it concerns the whole form. */
export type FormError = {
  field?: string | undefined;
  text: string;
  link?: { href: string; text: string };
};

/** What a page is given for the form in it (web/form-page.ts). */
export type FormState = {
  messages: Messages;
  csrf: string;
  /** Whether the sign-in is recent, so that no password is asked for. */
  recent: boolean;
  hasPassword: boolean;
  /** The email address of the signed-in account, for password managers. */
  username: string | undefined;
  /** Whether a code is asked for with it. */
  asksForCode: boolean;
  /** Whether the account has passkeys, so that the password alone confirms nothing. */
  hasPasskeys: boolean;
  /** What the browser is asked for to confirm by one of them, as JSON (web/passkeys.ts). */
  passkey: string | undefined;
  errors: readonly FormError[];
  notice: string | undefined;
  /** The form was sent too late, after its session had ended, and can be sent again. */
  isUnsent?: boolean;
  /** The sealed authorization request that the login flow returns to. */
  pending?: string | undefined;
  /** The page of this service that the login flow returns to. */
  next?: string | undefined;
};

export type TextField = {
  /** Both the name that is sent and the id that labels and the summary point to. */
  name: string;
  label: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'date' | 'password' | undefined;
  value?: string | undefined;
  hint?: string | undefined;
  autocomplete?: string | undefined;
  inputmode?: 'text' | 'email' | 'tel' | 'url' | 'numeric' | undefined;
  autofocus?: boolean | undefined;
  /** May be left empty; the word that says so, where it does not go without saying. */
  optional?: boolean | string | undefined;
  /** Where a script asks how strong a new password is (public/fields.js), and from how many characters on. */
  strength?: { address: string; least: number } | undefined;
  /** All errors of the form; the field shows its own. */
  errors?: readonly FormError[] | undefined;
};

/** The field of a form's only error. It shows the error itself and takes the focus, so no summary is shown. */
function onlyFaultyField(errors: readonly FormError[]): string | undefined {
  const [only, other] = errors;
  return other === undefined && only?.link === undefined ? only?.field : undefined;
}

/**
 * Lists the errors of a form, each linked to its field, and takes the focus when the page opens, without any script.
 * Renders nothing without errors, or if the only error is shown at its field.
 */
export function errorSummary(shown: { title: string; errors: readonly FormError[] }): Html | undefined {
  if (shown.errors.length === 0 || onlyFaultyField(shown.errors) !== undefined) return undefined;
  return html`<div class="error-summary" id="errors" role="alert" tabindex="-1" autofocus aria-labelledby="errors-title">
<h2 class="error-summary-title" id="errors-title">${shown.title}</h2>
<ul>
${shown.errors.map(
  ({
    field,
    text,
    link,
  }) => html`<li>${field ? html`<a href="#${field}">${text}</a>` : text}${link && wayOn(link)}</li>
`,
)}</ul>
</div>`;
}

/** One that leaves the service, as to its operators, tells nobody from where. */
const wayOn = ({ href, text }: NonNullable<FormError['link']>): Html =>
  html` <a href="${href}"${!href.startsWith('/') && html` rel="noopener noreferrer"`}>${text}</a>`;

/** What became of a form, above it: what was just done, or everything to put right. */
export function formStatus({
  messages: { problems },
  errors,
  notice: done,
  isUnsent,
}: Pick<FormState, 'messages' | 'errors'> & Partial<Pick<FormState, 'notice' | 'isUnsent'>>):
  | Html
  | undefined {
  const title = errors.length > 1 ? problems.titleMany(errors.length) : problems.title;
  return errorSummary({ title, errors }) ?? notice(done) ?? attention(isUnsent ? problems.kept : undefined);
}

/** Class of a field, its hint and errors, and the attributes that tie its control to them. */
function described({
  name,
  hint,
  autofocus,
  errors = [],
}: Pick<TextField, 'name' | 'hint' | 'autofocus' | 'errors'>) {
  const faults = errors.filter(({ field }) => field === name);
  const isInvalid = faults.length > 0;
  const ids = [hint && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(' ');
  const lines = faults.map(({ text }, index) => html`${index > 0 && html`<br>`}${text}`);
  return {
    className: isInvalid ? 'field field--invalid' : 'field',
    text: html`${hint && html`<p class="field-hint" id="${name}-hint">${hint}</p>`}
${isInvalid && html`<p class="field-error" id="${name}-error">${lines}</p>`}`,
    invalid: isInvalid && html` aria-invalid="true"`,
    attributes: html`${ids && html` aria-describedby="${ids}"`}${(autofocus || onlyFaultyField(errors) === name) && html` autofocus`}`,
  };
}

type Labelled = Pick<TextField, 'name' | 'label' | 'hint' | 'optional' | 'autofocus' | 'errors'>;

/** A control with its label, hint and errors. @param control renders it with the attributes of all controls */
function labelled(field: Labelled, control: (attributes: Html) => Html): Html {
  const { name, label, optional } = field;
  const { className, text, invalid, attributes } = described(field);
  return html`<div class="${className}">
<label class="field-label" for="${name}">${label}${typeof optional === 'string' && html` <span class="field-optional">(${optional})</span>`}</label>
${text}
${control(html` id="${name}" name="${name}"${!optional && html` required`}${attributes}${invalid}`)}
</div>`;
}

/** A labelled input. Hint and error are announced with it (aria-describedby); an error marks it aria-invalid. */
export function textField(field: TextField): Html {
  const { name, type = 'text', value, autocomplete, inputmode, strength } = field;
  return labelled(field, (attributes) => {
    const input = html`<input class="field-input"${attributes} type="${type}"${type !== 'text' && html` spellcheck="false" autocapitalize="none"`}${
      value !== undefined && html` value="${value}"`
    }${autocomplete && html` autocomplete="${autocomplete}"`}${inputmode && html` inputmode="${inputmode}"`}${
      strength && html` data-strength="${strength.address}" data-least="${strength.least}"`
    }>`;
    return html`${type === 'password' ? html`<div class="readable">${input}</div>` : input}
${strength && html`<p class="strength" id="${name}-strength" role="status"></p>`}`;
  });
}

/** The field of an email address, `email` by default. */
export const emailField = (field: Omit<TextField, 'name' | 'type' | 'inputmode'> & { name?: string }): Html =>
  textField({ name: 'email', autocomplete: 'username', ...field, type: 'email', inputmode: 'email' });

/** The field of a code that is good once. */
export const codeField = (field: Omit<TextField, 'name' | 'type'>): Html =>
  textField({ name: 'code', autocomplete: 'one-time-code', ...field });

export function textArea(field: Omit<TextField, 'type' | 'autocomplete'> & { rows?: number }): Html {
  const { rows = 3, inputmode, value } = field;
  return labelled(
    field,
    (
      attributes,
    ) => html`<textarea class="field-input field-input--lines"${attributes} rows="${rows}" spellcheck="false" autocapitalize="none"${inputmode && html` inputmode="${inputmode}"`}>
${value}</textarea>`,
  );
}

/** A labelled choice of one file. What was chosen is never sent back to the page. */
export const fileField = (
  field: Pick<TextField, 'name' | 'label' | 'hint' | 'errors'> & { accept: string },
): Html =>
  labelled(
    { ...field, optional: true },
    (attributes) =>
      html`<input class="field-input field-input--file"${attributes} type="file" accept="${field.accept}">`,
  );

export const selectField = (
  field: Pick<TextField, 'name' | 'label' | 'hint' | 'errors'> & {
    options: readonly { value: string; label: string }[];
    value: string;
  },
): Html =>
  labelled(
    { ...field, optional: true },
    (attributes) => html`<select class="field-input"${attributes}>
${field.options.map(
  ({ value, label }) =>
    html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>
`,
)}</select>`,
  );

/** A group of radio buttons or checkboxes; hint and error are announced with the group. */
export function choiceField(field: {
  /** The name that is sent; the id of the whole group, which the error summary points to. */
  name: string;
  kind: 'radio' | 'checkbox';
  legend: string;
  hint?: string | undefined;
  choices: readonly { value: string; label: string; hint?: string | undefined; checked: boolean }[];
  errors?: readonly FormError[] | undefined;
}): Html {
  const { name, kind, legend, choices } = field;
  const { className, text, attributes } = described(field);
  return html`<fieldset class="${className}" id="${name}" tabindex="-1"${attributes}>
<legend class="field-label">${legend}</legend>
${text}
${choices.map(
  ({ value, label, hint, checked }) => html`<div class="choice">
<input class="choice-input" type="${kind}" id="${name}-${value}" name="${name}" value="${value}"${checked && html` checked`}${hint && html` aria-describedby="${name}-${value}-hint"`}>
<label class="choice-label" for="${name}-${value}">${label}</label>
${hint && html`<p class="field-hint choice-hint" id="${name}-${value}-hint">${hint}</p>`}
</div>
`,
)}</fieldset>`;
}

type Confirming = Pick<
  FormState,
  'messages' | 'recent' | 'hasPassword' | 'username' | 'asksForCode' | 'hasPasskeys' | 'passkey' | 'errors'
>;

/**
 * Asks for a proof again where the sign-in is not recent: a passkey, or the password and where the account has more than that
 * a code with it. Renders nothing where it is recent.
 */
export function confirmationField(
  view: Confirming,
  hint: string = view.messages.fields.confirmPasswordHint,
): Html | undefined {
  if (view.recent) return undefined;
  const { errors, messages, passkey } = view;
  const password = passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    hint: passkey === undefined ? hint : undefined,
    errors,
    autocomplete: 'current-password',
  });
  const otherwise = html`${view.hasPassword && html`${usernameField(view.username)}${password}`}
${confirmationCode(view)}`;
  if (passkey === undefined) return otherwise;
  const isWrong = errors.some(({ field }) => field === 'current_password' || field === 'confirmation_code');
  return html`<p class="field-hint">${hint}</p>
${confirmationByPasskey(view)}
<details class="apart"${isWrong && html` open`}>
<summary>${messages.passkeys.without}</summary>
${otherwise}
</details>`;
}

/** Asks for a passkey in place of all that. @param text when the browser does */
export function confirmationByPasskey(
  { messages, passkey, errors }: Confirming,
  text: string = messages.passkeys.asked,
): Html | undefined {
  const fault = errors.find(({ field }) => field === 'confirmation_passkey');
  return html`${fault && html`<p class="field-error" id="confirmation_passkey" tabindex="-1"${onlyFaultyField(errors) === 'confirmation_passkey' && html` autofocus`}>${fault.text}</p>`}
${passkeyProof(messages, passkey, text)}`;
}

/** Asks for the code that goes with the password, where the account has more than that and nothing of it was shown lately. */
export function confirmationCode({
  messages: { fields },
  recent,
  asksForCode,
  hasPassword,
  hasPasskeys,
  errors,
}: Confirming): Html | undefined {
  if (recent || !(asksForCode || hasPasskeys)) return undefined;
  return textField({
    name: 'confirmation_code',
    label: asksForCode && hasPassword ? fields.confirmationCode : fields.recoveryCode,
    hint: asksForCode && hasPassword ? fields.confirmationCodeHint : fields.recoveryCodeHint,
    autocomplete: 'one-time-code',
    errors,
  });
}

/**
 * Tells password managers whose password the form asks for, where no field shows it. Without a name it is not sent.
 * @param name the name under which it is sent, where the form needs it
 */
export const usernameField = (email: string | undefined, name?: string): Html | undefined =>
  email === undefined
    ? undefined
    : html`<input type="email"${name && html` name="${name}"`} value="${email}" autocomplete="username" readonly hidden>`;

/** A password input. Its form has a field with `autocomplete="username"`, too. What was typed is never sent back to the page. */
export function passwordField(
  field: Omit<TextField, 'type' | 'value' | 'inputmode'> & {
    autocomplete: 'current-password' | 'new-password';
  },
): Html {
  return textField({ ...field, type: 'password' });
}

export type Button = {
  text: string;
  /** `danger` does what is hard to undo, or, as a link, leads there. `way` stands among lines of ways on, and looks as they do. */
  kind?: 'primary' | 'secondary' | 'danger' | 'way' | undefined;
  name?: string | undefined;
  value?: string | undefined;
  /** Reacts only once its page has been visible and focused for a moment (public/decision.js). */
  deliberate?: boolean | undefined;
  /** Said after the text to those who hear the button without seeing what stands around it. */
  unseen?: string | undefined;
};

/** A button that sends its form, at least 44 px high. */
export function submitButton({ text, kind = 'primary', name, value, deliberate, unseen }: Button): Html {
  const sent = name && html` name="${name}" value="${value}"`;
  const rest = unseen && html`<span class="unseen"> ${unseen}</span>`;
  return html`<button class="button button--${kind}" type="submit"${sent}${deliberate && html` data-deliberate`}><span>${text}${rest}</span></button>`;
}

/** A link that looks like a button, for going somewhere rather than doing something. */
export function buttonLink(link: {
  text: string;
  href: string;
  kind?: Button['kind'];
  leaves?: boolean | undefined;
}): Html {
  return html`<a class="button button--${link.kind ?? 'primary'}" href="${link.href}"${link.leaves && html` rel="noopener noreferrer"`}><span>${link.text}</span></a>`;
}

/** A value that travels with the form unseen; renders nothing when there is none. */
export function hiddenInput(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`;
}

/** A form sent by POST with its CSRF token; faults are reported by the page, in its language, not by the browser. */
export function form(options: {
  action: string;
  csrf: string;
  pending?: string | undefined;
  upload?: boolean | undefined;
  /** For fields outside it (`form="…"`). */
  id?: string | undefined;
  body: Html;
}): Html {
  return html`<form class="form"${options.id && html` id="${options.id}"`} method="post" action="${options.action}"${options.upload && html` enctype="multipart/form-data"`} novalidate>
${hiddenInput('csrf', options.csrf)}
${hiddenInput('pending', options.pending)}
${options.body}
</form>`;
}

/** A form of the login flow, which carries where the flow returns to. */
export const loginForm = ({ csrf, pending, next }: FormState, action: string, body: Html): Html =>
  form({ action, csrf, pending, body: html`${hiddenInput('next', next)}${body}` });

export function notice(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--done" role="status">${tick}<span>${text}</span></p>`;
}

/** What is to be known before going on: nothing was done, and nothing is wrong with a form. */
export function attention(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--attention" role="status">${mark}<span>${text}</span></p>`;
}

export const needsScript = (text: string): Html => html`<noscript>${attention(text)}</noscript>`;

export const tick = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m4 10.5 4 4 8-9"/></svg>`;
export const mark = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M10 3.5v8M10 16.25v.25"/></svg>`;
