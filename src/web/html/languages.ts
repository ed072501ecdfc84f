// Owns the choice of language at the foot of a page: a link for each; on a page with a form whose fields come along, a button of
// that form (web/form-page.ts).
import { LOCALES, type Locale, type Messages } from '../../i18n/index.ts';
import { TYPED } from './form.ts';
import { type Html, html } from './html.ts';

/** @param links addresses of this same page in each language; a button sends the form there */
export function languageChoice(
  { locale, messages, links }: { locale: Locale; messages: Messages; links: Record<Locale, string> },
  hasForm: boolean,
): Html {
  const choice = (language: Locale): Html => {
    const name = messages.layout.languageNames[language];
    if (hasForm && language !== locale)
      return html`<button type="submit" form="${TYPED}" formaction="${links[language]}" formnovalidate lang="${language}">${name}</button>`;
    const current = language === locale && html` aria-current="true"`;
    return html`<a href="${links[language]}" hreflang="${language}" lang="${language}"${current}>${name}</a>`;
  };
  return html`<nav class="languages" aria-label="${messages.layout.languages}">
<ul>
${LOCALES.map(
  (language) => html`<li>${choice(language)}</li>
`,
)}
</ul>
</nav>`;
}
