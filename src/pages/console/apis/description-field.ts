// The description of an API or scope in French, English or both.
import type { Locale, Messages } from '../../../i18n/index.ts';
import type { ApiTexts } from '../../../oauth/api.ts';
import type { FormError } from '../../../web/html/error-summary.ts';
import { fieldGroup, textField } from '../../../web/html/fields.ts';
import { type Html, html } from '../../../web/html/html.ts';

const orderLanguages = (locale: Locale) =>
  locale === 'fr' ? (['fr', 'en'] as const) : (['en', 'fr'] as const);

export function sortDescriptionErrors(errors: readonly FormError[], locale: Locale): FormError[] {
  const fields = orderLanguages(locale).map((language) => `description_${language}`);
  const sorted = fields.flatMap((field) => errors.filter((error) => error.field === field));
  return errors.map((error) => (fields.includes(error.field ?? '') ? (sorted.shift() ?? error) : error));
}

/** One field per language, starting with the page's language. One of them may stay empty. */
export function descriptionField(field: {
  messages: Messages;
  locale: Locale;
  legend: string;
  hint: string;
  texts: ApiTexts;
  errors: readonly FormError[];
}): Html {
  const { messages, locale, legend, hint, texts, errors } = field;
  return fieldGroup({
    name: 'description',
    legend,
    hint,
    errors,
    body: html`${orderLanguages(locale).map((language) =>
      textField({
        name: `description_${language}`,
        label: messages.apis.form.inLanguage[language],
        value: texts[language],
        optional: true,
        errors,
      }),
    )}`,
  });
}
