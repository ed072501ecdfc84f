// Owns the form kit: error summary, fields with label, hint and error, buttons, hidden inputs, notices.
import { type Html, html } from './html.ts';

/** One thing to put right; `field` is the id of the field it belongs to, absent when it concerns the whole form. */
export type FormError = { field?: string | undefined; text: string };

export type TextField = {
  /** Both the name that is sent and the id that labels and the summary point to. */
  name: string;
  label: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'password' | undefined;
  value?: string | undefined;
  hint?: string | undefined;
  autocomplete?: string | undefined;
  inputmode?: 'text' | 'email' | 'tel' | 'url' | 'numeric' | undefined;
  autofocus?: boolean | undefined;
  /** May be left empty. */
  optional?: boolean | undefined;
  /** All errors of the form; the field shows its own. */
  errors?: readonly FormError[] | undefined;
};

/**
 * The list of everything to put right, each entry linked to its field. It takes the focus when the page opens,
 * without any script; renders nothing when there is no error.
 */
export function errorSummary(summary: { title: string; errors: readonly FormError[] }): Html | undefined {
  if (summary.errors.length === 0) return undefined;
  return html`<div class="error-summary" id="errors" role="alert" tabindex="-1" autofocus aria-labelledby="errors-title">
<h2 class="error-summary-title" id="errors-title">${summary.title}</h2>
<ul>
${summary.errors.map(
  ({ field, text }) => html`<li>${field ? html`<a href="#${field}">${text}</a>` : text}</li>
`,
)}</ul>
</div>`;
}

/** A labelled input. Hint and error are announced with it (aria-describedby); an error marks it aria-invalid. */
export function textField(field: TextField): Html {
  const { name, hint, type = 'text' } = field;
  const error = field.errors?.find((entry) => entry.field === name)?.text;
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  const plain = type === 'text' ? undefined : html` spellcheck="false" autocapitalize="none"`;
  return html`<div class="${error ? 'field field--invalid' : 'field'}">
<label class="field-label" for="${name}">${field.label}</label>
${hint && html`<p class="field-hint" id="${name}-hint">${hint}</p>`}
${error && html`<p class="field-error" id="${name}-error">${error}</p>`}
<input class="field-input" id="${name}" name="${name}" type="${type}"${!field.optional && html` required`}${plain}${
    field.value !== undefined && html` value="${field.value}"`
  }${field.autocomplete && html` autocomplete="${field.autocomplete}"`}${
    field.inputmode && html` inputmode="${field.inputmode}"`
  }${describedBy && html` aria-describedby="${describedBy}"`}${error && html` aria-invalid="true"`}${
    field.autofocus && html` autofocus`
  }>
</div>`;
}

/** A password input. What was typed is never sent back to the page. */
export function passwordField(
  field: Omit<TextField, 'type' | 'value' | 'inputmode'> & {
    autocomplete: 'current-password' | 'new-password';
  },
): Html {
  return textField({ ...field, type: 'password' });
}

export type Button = {
  text: string;
  /** `choice` is for answers of equal weight: give it to every button of the group. */
  kind?: 'primary' | 'secondary' | 'choice' | undefined;
  name?: string | undefined;
  value?: string | undefined;
  icon?: Html | undefined;
  /** Said after the text to those who hear the button without seeing what stands around it. */
  unseen?: string | undefined;
};

/** A button that sends its form, at least 44 px high. */
export function submitButton({ text, kind = 'primary', name, value, icon, unseen }: Button): Html {
  const sent = name && html` name="${name}" value="${value}"`;
  const rest = unseen && html`<span class="unseen"> ${unseen}</span>`;
  return html`<button class="button button--${kind}" type="submit"${sent}>${icon}<span>${text}${rest}</span></button>`;
}

/** A link that looks like a button, for going somewhere rather than doing something. */
export function buttonLink(link: { text: string; href: string; kind?: Button['kind'] }): Html {
  return html`<a class="button button--${link.kind ?? 'primary'}" href="${link.href}"><span>${link.text}</span></a>`;
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
  body: Html;
}): Html {
  return html`<form class="form" method="post" action="${options.action}" novalidate>
${hiddenInput('csrf', options.csrf)}
${hiddenInput('pending', options.pending)}
${options.body}
</form>`;
}

/** A message that is not an error: what just happened, what changed. */
export function notice(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`;
}
