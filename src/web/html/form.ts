// Form elements: fields with labels, hints and errors, error summaries, buttons and notices.
import type { Messages } from '../../i18n/index.ts';
import { deferred, type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';
import { type ProviderLink, providerLinks } from './identity-providers.ts';
import { passkeyConfirmation } from './passkey.ts';

/** A localized error. Without `field` (an element id), the error concerns the whole form. */
export type FormError = {
  field?: string | undefined;
  text: string;
  link?: { href: string; text: string };
};

type ReauthenticationState = {
  messages: Messages;
  /** Whether the sign-in is recent. If so, no re-authentication is required. */
  isRecent: boolean;
  hasPassword: boolean;
  /** The signed-in account's email address, for password managers. */
  username: string | undefined;
  /** Whether the account has an authenticator app. */
  requiresTotp: boolean;
  /** Whether the account has passkeys. If so, the password alone isn't sufficient. */
  hasPasskeys: boolean;
  /** The WebAuthn options for re-authentication with a passkey, as JSON (web/passkeys.ts). */
  passkey: string | undefined;
  /** The identity providers through which the user re-authenticates. Empty if the account has a password or a passkey. */
  providers: readonly ProviderLink[];
  errors: readonly FormError[];
};

/** The state that web/form-page.ts passes to a page's form. */
export type FormState = ReauthenticationState & {
  csrf: string;
  notice: string | undefined;
  /** Why a sign-in through an identity provider changed nothing. */
  attention?: string | undefined;
  /** Whether the session had expired when the form was submitted. If so, the form shows the restored values. */
  isUnsent?: boolean;
  /** The sealed authorization request that the login flow returns to. */
  pending?: string | undefined;
  /** The page of this service that the login flow returns to. */
  next?: string | undefined;
};

export type TextField = {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'date' | 'password' | undefined;
  value?: string | undefined;
  hint?: string | undefined;
  placeholder?: string | undefined;
  autocomplete?: string | undefined;
  inputmode?: 'text' | 'email' | 'tel' | 'url' | 'numeric' | undefined;
  autofocus?: boolean | undefined;
  /** Whether the field may be empty. If this is a string, such as "optional", it is shown beside the label. */
  optional?: boolean | string | undefined;
  /** The number of characters in the code. The field is as wide as the code. */
  codeLength?: number | undefined;
  /** The endpoint that rates a new password (public/fields.js), and the minimum length of a password to rate. */
  strength?: { address: string; least: number } | undefined;
  /** All errors in the form. The field shows only the errors that concern it. */
  errors?: readonly FormError[] | undefined;
};

/**
 * Returns the id of the invalid field if only one field has errors. The field is focused and shows them, so no summary is
 * needed.
 */
function onlyInvalidField(errors: readonly FormError[]): string | undefined {
  const field = errors[0]?.field;
  return errors.every((error) => error.field === field) ? field : undefined;
}

/** The labels of the fields that show errors. The fields are rendered after the summary that links to them. */
const labels = new WeakMap<FormError, string>();

/**
 * Links to the invalid fields, and shows errors that concern the whole form. Focused when the page loads.
 * Empty if there are no errors, or if a single field shows them all.
 */
export function errorSummary(summary: { title: string; errors: readonly FormError[] }): Html | undefined {
  const { title, errors } = summary;
  if (errors.length === 0 || onlyInvalidField(errors) !== undefined) return undefined;
  return html`<div class="error-summary" id="errors" role="alert" tabindex="-1" autofocus aria-labelledby="errors-title">
<h2 class="error-summary-title" id="errors-title">${title}</h2>
<ul>
${deferred(() => html`${errors.map((error, index) => errorItem(error, errors.slice(0, index)))}`)}</ul>
</div>`;
}

function errorItem(error: FormError, earlier: readonly FormError[]): Html | undefined {
  const { field, text } = error;
  const label = labels.get(error);
  if (label === undefined)
    return html`<li>${field ? html`<a href="#${field}">${text}</a>` : text}${errorLink(error)}</li>
`;
  if (earlier.some((other) => other.field === field)) return undefined;
  return html`<li><a href="#${field}">${label}</a></li>
`;
}

/** A link in an error. Links to other sites, such as the help page, send no Referer. */
const errorLink = ({ link }: FormError): Html | undefined =>
  link &&
  html` <a href="${link.href}"${!link.href.startsWith('/') && html` rel="noopener noreferrer"`}>${link.text}</a>`;

/** The message above a form: errors, success, or a notice that entered values were restored. */
export function formStatus({
  messages: { formErrors },
  errors,
  notice: successMessage,
  attention,
  isUnsent,
}: Pick<FormState, 'messages' | 'errors'> & Partial<Pick<FormState, 'notice' | 'attention' | 'isUnsent'>>):
  | Html
  | undefined {
  const title = errors.length > 1 ? formErrors.titleMany(errors.length) : formErrors.title;
  return (
    errorSummary({ title, errors }) ??
    notice(successMessage) ??
    attentionNotice(isUnsent ? formErrors.kept : attention)
  );
}

/** Returns a field's class, hint and errors, and the attributes that associate its control with the hint and errors. */
function describeField({
  name,
  label,
  hint,
  autofocus,
  errors = [],
}: Pick<TextField, 'name' | 'label' | 'hint' | 'autofocus' | 'errors'>) {
  const fieldErrors = errors.filter(({ field }) => field === name);
  for (const error of fieldErrors) labels.set(error, label);
  const isInvalid = fieldErrors.length > 0;
  const ids = [hint && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(' ');
  const lines = fieldErrors.map(
    (error, index) => html`${index > 0 && html`<br>`}${error.text}${errorLink(error)}`,
  );
  return {
    className: isInvalid ? 'field field--invalid' : 'field',
    text: html`${hint && html`<p class="field-hint" id="${name}-hint">${hint}</p>`}
${isInvalid && html`<p class="field-error" id="${name}-error">${lines}</p>`}`,
    invalid: isInvalid && html` aria-invalid="true"`,
    attributes: html`${ids && html` aria-describedby="${ids}"`}${(autofocus || onlyInvalidField(errors) === name) && html` autofocus`}`,
  };
}

type LabeledField = Pick<TextField, 'name' | 'label' | 'hint' | 'optional' | 'autofocus' | 'errors'>;

/** Renders a control with its label, hint and errors. @param control renders the control with the given attributes */
function labeled(field: LabeledField, control: (attributes: Html) => Html): Html {
  const { name, label, optional } = field;
  const { className, text, invalid, attributes } = describeField(field);
  return html`<div class="${className}">
<label class="field-label" for="${name}">${label}${typeof optional === 'string' && html` <span class="field-optional">(${optional})</span>`}</label>
${text}
${control(html` id="${name}" name="${name}"${!optional && html` required`}${attributes}${invalid}`)}
</div>`;
}

export function textField(field: TextField): Html {
  const { name, type = 'text', value, placeholder, autocomplete, inputmode, strength, codeLength } = field;
  return labeled(field, (attributes) => {
    const className = codeLength === undefined ? 'field-input' : 'field-input field-input--code';
    const input = html`<input class="${className}"${attributes} type="${type}"${codeLength && html` size="${codeLength}"`}${type !== 'text' && html` spellcheck="false" autocapitalize="none"`}${
      value !== undefined && html` value="${value}"`
    }${placeholder && html` placeholder="${placeholder}"`}${autocomplete && html` autocomplete="${autocomplete}"`}${inputmode && html` inputmode="${inputmode}"`}${
      strength && html` data-strength="${strength.address}" data-least="${strength.least}"`
    }>`;
    return html`${type === 'password' ? html`<div class="password-input">${input}</div>` : input}
${strength && html`<p class="strength" id="${name}-strength" role="status"></p>`}`;
  });
}

export const emailField = (field: Omit<TextField, 'name' | 'type' | 'inputmode'> & { name?: string }): Html =>
  textField({ name: 'email', autocomplete: 'username', ...field, type: 'email', inputmode: 'email' });

/** The number of characters in each kind of code, with separators. */
const CODE_LENGTHS = { app: 6, email: 8, recovery: 19, device: 9 };

/** @param kind the kind of code, or the longest kind if the field accepts several */
export const codeField = (
  kind: keyof typeof CODE_LENGTHS,
  field: Omit<TextField, 'name' | 'type'> & { name?: string },
): Html =>
  textField({
    name: 'code',
    autocomplete: 'one-time-code',
    inputmode: kind === 'app' || kind === 'email' ? 'numeric' : undefined,
    codeLength: CODE_LENGTHS[kind],
    ...field,
  });

export function textArea(field: Omit<TextField, 'type' | 'autocomplete'> & { rows?: number }): Html {
  const { rows = 3, inputmode, value } = field;
  return labeled(
    field,
    (
      attributes,
    ) => html`<textarea class="field-input field-input--lines"${attributes} rows="${rows}" spellcheck="false" autocapitalize="none"${inputmode && html` inputmode="${inputmode}"`}>
${value}</textarea>`,
  );
}

export const fileField = (
  field: Pick<TextField, 'name' | 'label' | 'hint' | 'optional' | 'errors'> & { accept?: string },
): Html =>
  labeled(
    field,
    (attributes) =>
      html`<input class="field-input field-input--file"${attributes} type="file"${field.accept && html` accept="${field.accept}"`}>`,
  );

/**
 * A file field for a picture. The script public/crop.js crops the picture to a square.
 * @param shape the shape in which pages show the picture
 */
export const pictureField = (
  field: Pick<TextField, 'name' | 'label' | 'hint' | 'errors'> & { shape: 'round' | 'square' },
  { pictures: text }: Messages,
): Html => html`${fileField({ ...field, optional: true, accept: 'image/jpeg,image/png,image/webp' })}
<div class="crop" data-crop="${field.name}" hidden>
<canvas class="crop-preview crop-preview--${field.shape}" width="512" height="512" role="img" aria-label="${text.preview}"></canvas>
<div class="crop-sliders">
${(['zoom', 'horizontal', 'vertical'] as const).map(
  (slider) =>
    html`<label class="crop-slider"><span>${text[slider]}</span><input type="range" autocomplete="off"></label>
`,
)}</div>
</div>`;

export const selectField = (
  field: Pick<TextField, 'name' | 'label' | 'hint' | 'errors'> & {
    options: readonly { value: string; label: string }[];
    value: string;
  },
): Html =>
  labeled(
    { ...field, optional: true },
    (attributes) => html`<select class="field-input"${attributes}>
${field.options.map(
  ({ value, label }) =>
    html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>
`,
)}</select>`,
  );

/** A group of controls with a common legend. */
export function fieldGroup(field: {
  /** The id of the group. */
  name: string;
  legend: string;
  hint?: string | undefined;
  errors?: readonly FormError[] | undefined;
  body: Html;
}): Html {
  const { className, text, attributes } = describeField({ ...field, label: field.legend });
  return html`<fieldset class="${className}" id="${field.name}" tabindex="-1"${attributes}>
<legend class="field-label">${field.legend}</legend>
${text}
${field.body}</fieldset>`;
}

/** A group of radio buttons or checkboxes. Choices with an icon are shown as tiles. */
export function choiceField(field: {
  /** The parameter's name, also used as the id of the group. */
  name: string;
  kind: 'radio' | 'checkbox';
  legend: string;
  hint?: string | undefined;
  choices: readonly {
    /** The parameter's name, if the choices have different names. */
    name?: string;
    value: string;
    label: string;
    hint?: string | undefined;
    icon?: IconName;
    checked: boolean;
  }[];
  errors?: readonly FormError[] | undefined;
}): Html {
  const { kind, choices } = field;
  return fieldGroup({
    ...field,
    body: html`${choices.map(
      ({
        name = field.name,
        value,
        label,
        hint,
        icon: iconName,
        checked,
      }) => html`<div class="${iconName === undefined ? 'choice' : 'choice choice--tile'}">
<input class="choice-input" type="${kind}" id="${name}-${value}" name="${name}" value="${value}"${checked && html` checked`}${hint && html` aria-describedby="${name}-${value}-hint"`}>
${iconName !== undefined && icon(iconName, 24)}
<label class="choice-label" for="${name}-${value}">${label}</label>
${hint && html`<p class="field-hint choice-hint" id="${name}-${value}-hint">${hint}</p>`}
</div>
`,
    )}`,
  });
}

/** Fields for a passkey, or for the password and, with MFA, a code. Empty if the sign-in is recent. */
export function reauthenticationFields(
  view: ReauthenticationState,
  hint: string = view.messages.fields.confirmPasswordHint,
): Html | undefined {
  if (view.isRecent) return undefined;
  const { errors, messages, passkey } = view;
  const password = passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    hint: passkey === undefined ? hint : undefined,
    errors,
    autocomplete: 'current-password',
  });
  if (view.providers.length > 0)
    return html`<p class="field-hint">${messages.linkedAccounts.confirmFirst}</p>
${providerLinks(messages, view.providers, messages.linkedAccounts.confirmWith)}`;
  const otherFactors = html`${view.hasPassword && html`${usernameField(view.username)}${password}`}
${reauthenticationCodeField(view)}`;
  if (passkey === undefined) return otherFactors;
  const hasErrors = errors.some(({ field }) => field === 'current_password' || field === 'confirmation_code');
  return html`<p class="field-hint">${hint}</p>
${passkeyReauthentication(view)}
<details class="disclosure"${hasErrors && html` open`}>
<summary>${messages.passkeys.without}</summary>
${otherFactors}
</details>`;
}

/** Re-authentication with a passkey only. @param text explains when the browser asks for the passkey */
export function passkeyReauthentication(
  { messages, passkey, errors }: ReauthenticationState,
  text: string = messages.passkeys.asked,
): Html | undefined {
  const error = errors.find(({ field }) => field === 'confirmation_passkey');
  if (error !== undefined) labels.set(error, messages.passkeys.use);
  return html`${error && html`<p class="field-error" id="confirmation_passkey" tabindex="-1"${onlyInvalidField(errors) === 'confirmation_passkey' && html` autofocus`}>${error.text}</p>`}
${passkeyConfirmation(messages, passkey, text)}`;
}

/** A field for an authenticator or recovery code. Empty if the account has no MFA or the sign-in is recent. */
export function reauthenticationCodeField({
  messages: { fields },
  isRecent,
  requiresTotp,
  hasPassword,
  hasPasskeys,
  errors,
}: ReauthenticationState): Html | undefined {
  if (isRecent || !(requiresTotp || hasPasskeys)) return undefined;
  return codeField('recovery', {
    name: 'confirmation_code',
    label: requiresTotp && hasPassword ? fields.confirmationCode : fields.recoveryCode,
    hint: requiresTotp && hasPassword ? fields.confirmationCodeHint : fields.recoveryCodeHint,
    errors,
  });
}

/**
 * A hidden username field. It tells password managers which account the password belongs to.
 * @param name the parameter's name. Without a name, the form doesn't send the email address.
 */
export const usernameField = (email: string | undefined, name?: string): Html | undefined =>
  email === undefined
    ? undefined
    : html`<input type="email"${name && html` name="${name}"`} value="${email}" autocomplete="username" readonly hidden>`;

/** A password field. Its form must also have a field with `autocomplete="username"`. */
export function passwordField(
  field: Omit<TextField, 'type' | 'value' | 'inputmode'> & {
    autocomplete: 'current-password' | 'new-password';
  },
): Html {
  return textField({ ...field, type: 'password' });
}

export type Button = {
  text: Html | string;
  /**
   * `danger` is for actions that are hard to undo, and for links to their pages. `link` looks like a link.
   */
  kind?: 'primary' | 'secondary' | 'danger' | 'link' | undefined;
  name?: string | undefined;
  value?: string | undefined;
  /** Whether the button works only after the page has been visible and focused for half a second (public/decision.js). */
  isDelayed?: boolean | undefined;
  /** Appended to the text for screen readers. */
  hiddenText?: string | undefined;
};

export function submitButton({ text, kind = 'primary', name, value, isDelayed, hiddenText }: Button): Html {
  const nameAndValue = name && html` name="${name}" value="${value}"`;
  const hiddenSpan = hiddenText && html`<span class="visually-hidden"> ${hiddenText}</span>`;
  return html`<button class="button button--${kind}" type="submit"${nameAndValue}${isDelayed && html` data-deliberate`}><span>${text}${hiddenSpan}</span></button>`;
}

export function buttonLink(link: {
  text: string;
  href: string;
  kind?: Button['kind'];
  isExternal?: boolean | undefined;
}): Html {
  return html`<a class="button button--${link.kind ?? 'primary'}" href="${link.href}"${link.isExternal && html` rel="noopener noreferrer"`}><span>${link.text}</span></a>`;
}

export function hiddenInput(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`;
}

/**
 * A POST form with a CSRF token. Browser validation is disabled (`novalidate`), because pages show errors in the page's
 * language.
 */
export function form(options: {
  action: string;
  csrf: string;
  pending?: string | undefined;
  upload?: boolean | undefined;
  /** Whether the response is a download. The browser then stays on the page. */
  download?: boolean | undefined;
  /** The form's id. Fields outside the form can belong to it with `form="…"`. */
  id?: string | undefined;
  body: Html;
}): Html {
  return html`<form class="form"${options.id && html` id="${options.id}"`} method="post" action="${options.action}"${options.upload && html` enctype="multipart/form-data"`}${options.download && html` data-download`} novalidate>
${hiddenInput('csrf', options.csrf)}
${hiddenInput('pending', options.pending)}
${options.body}
</form>`;
}

/** A form in the login flow, with the return target in hidden fields. */
export const loginForm = ({ csrf, pending, next }: FormState, action: string, body: Html): Html =>
  form({ action, csrf, pending, body: html`${hiddenInput('next', next)}${body}` });

export function notice(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--done" role="status">${tickIcon}<span>${text}</span></p>`;
}

/** A notice that is neither a success message nor an error. */
export function attentionNotice(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--attention" role="status">${attentionIcon}<span>${text}</span></p>`;
}

export const scriptRequiredNotice = (text: string): Html =>
  html`<noscript>${attentionNotice(text)}</noscript>`;

export const tickIcon = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m4 10.5 4 4 8-9"/></svg>`;
export const attentionIcon = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M10 3.5v8M10 16.25v.25"/></svg>`;
