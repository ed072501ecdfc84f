// Form fields with labels, hints and errors.
import type { Messages } from '../../i18n/index.ts';
import { errorLink, type FormError, labelError, onlyInvalidField } from './error-summary.ts';
import { type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';

export type TextField = {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'date' | 'password' | undefined;
  value?: string | undefined;
  hint?: Html | string | undefined;
  placeholder?: string | undefined;
  autocomplete?: string | undefined;
  inputmode?: 'text' | 'email' | 'tel' | 'url' | 'numeric' | undefined;
  autofocus?: boolean | undefined;
  /** A string, such as "optional", is shown beside the label. */
  optional?: boolean | string | undefined;
  codeLength?: number | undefined;
  /** The endpoint that rates passwords of at least `minLength` characters (public/fields.js). */
  strength?: { url: string; minLength: number } | undefined;
  /** All of the form's errors. The field shows only its own. */
  errors?: readonly FormError[] | undefined;
};

function describeField({
  name,
  label,
  hint,
  autofocus,
  errors = [],
}: Pick<TextField, 'name' | 'label' | 'hint' | 'autofocus' | 'errors'>) {
  const fieldErrors = errors.filter(({ field }) => field === name);
  for (const error of fieldErrors) labelError(error, label);
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

function labeledControl(field: LabeledField, control: (attributes: Html) => Html): Html {
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
  return labeledControl(field, (attributes) => {
    const className = codeLength === undefined ? 'field-input' : 'field-input field-input--code';
    const input = html`<input class="${className}"${attributes} type="${type}"${codeLength && html` size="${codeLength}"`}${type !== 'text' && html` spellcheck="false" autocapitalize="none"`}${
      value !== undefined && html` value="${value}"`
    }${placeholder && html` placeholder="${placeholder}"`}${autocomplete && html` autocomplete="${autocomplete}"`}${inputmode && html` inputmode="${inputmode}"`}${
      strength && html` data-strength="${strength.url}" data-min-length="${strength.minLength}"`
    }>`;
    return html`${type === 'password' ? html`<div class="password-input">${input}</div>` : input}
${strength && html`<p class="strength" id="${name}-strength" role="status"></p>`}`;
  });
}

export const emailField = (field: Omit<TextField, 'name' | 'type' | 'inputmode'> & { name?: string }): Html =>
  textField({ name: 'email', autocomplete: 'username', ...field, type: 'email', inputmode: 'email' });

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
  return labeledControl(
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
  labeledControl(
    field,
    (attributes) =>
      html`<input class="field-input field-input--file"${attributes} type="file"${field.accept && html` accept="${field.accept}"`}>`,
  );

/**
 * public/crop.js crops the picture to a square.
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
  labeledControl(
    { ...field, optional: true },
    (attributes) => html`<select class="field-input"${attributes}>
${field.options.map(
  ({ value, label }) =>
    html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>
`,
)}</select>`,
  );

export function fieldGroup(field: {
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

/** Choices with an icon are shown as tiles. */
export function choiceField(field: {
  /** The parameter's name and the group's id. */
  name: string;
  kind: 'radio' | 'checkbox';
  legend: string;
  hint?: string | undefined;
  choices: readonly {
    /** The parameter's name if it differs between choices. */
    name?: string;
    value: string;
    label: string;
    hint?: Html | string | undefined;
    icon?: IconName;
    checked: boolean;
    disabled?: boolean;
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
        disabled,
      }) => html`<div class="${iconName === undefined ? 'choice' : 'choice choice--tile'}">
<input class="choice-input" type="${kind}" id="${name}-${value}" name="${name}" value="${value}"${checked && html` checked`}${disabled && html` disabled`}${hint && html` aria-describedby="${name}-${value}-hint"`}>
${iconName !== undefined && icon(iconName, 24)}
<label class="choice-label" for="${name}-${value}">${label}</label>
${hint && html`<p class="field-hint choice-hint" id="${name}-${value}-hint">${hint}</p>`}
</div>
`,
    )}`,
  });
}

/**
 * Tells password managers which account the password belongs to.
 * @param name if undefined, the form doesn't submit the email address
 */
export const usernameField = (email: string | undefined, name?: string): Html | undefined =>
  email === undefined
    ? undefined
    : html`<input type="email"${name && html` name="${name}"`} value="${email}" autocomplete="username" readonly hidden>`;

/** A password field. Its form must also contain a field with `autocomplete="username"`. */
export function passwordField(
  field: Omit<TextField, 'type' | 'value' | 'inputmode'> & {
    autocomplete: 'current-password' | 'new-password';
  },
): Html {
  return textField({ ...field, type: 'password' });
}

export function hiddenInput(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`;
}
