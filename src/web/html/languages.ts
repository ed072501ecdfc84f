// Language switch in the footer: a link to the same page in each language.
import { LOCALES, type Locale, type Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

/** @param links URLs of the page in each language */
export const languageChoice = (locale: Locale, { layout }: Messages, links: Record<Locale, string>): Html =>
  html`<nav class="languages" aria-label="${layout.languages}">
<ul>
${LOCALES.map(
  (
    language,
  ) => html`<li><a href="${links[language]}" hreflang="${language}" lang="${language}"${language === locale && html` aria-current="true"`}>${layout.languageNames[language]}</a></li>
`,
)}
</ul>
</nav>`;
