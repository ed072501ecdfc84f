// Owns the choice of language at the foot of a page: a link for each; on a page with a form a button of that form, which brings
// along what was typed (web/form-page.ts).
import { LOCALES, type Locale, type Messages } from '../../i18n/index.ts';
import { type Html, html, render } from './html.ts';

/** The id of the form that the button belongs to. */
const TYPED = 'typed';
/** A form as form.ts writes it, with neither an id of its own nor a file, and the path that it is sent to. */
const FORM = /(<form class="form")( method="post" action="([^"?]*)[^"]*" novalidate>[\s\S]*?<\/form>)/g;
const FIELD = /class="(?:field|choice)-input/;

/**
 * A page's markup in which the first form with a field that is sent to a path has the id for the choice of language.
 * @returns undefined where there is none
 */
export function withTypedForm(main: string, path: string): string | undefined {
  const escaped = render(html`${path}`);
  const own = [...main.matchAll(FORM)].find(([form, , , to]) => to === escaped && FIELD.test(form));
  if (own === undefined) return undefined;
  const [form, begin, rest] = own;
  return `${main.slice(0, own.index)}${begin} id="${TYPED}"${rest}${main.slice(own.index + form.length)}`;
}

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
