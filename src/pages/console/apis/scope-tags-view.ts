// Owns how the scopes of an API are named in a few lines, however many there are.

import type { Messages } from '../../../i18n/index.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { type Html, html } from '../../../web/html/html.ts';

/** How many are named: all forty would hide what stands below them. */
const NAMED = 6;

/** The first scopes by name, and how many more there are. @param none what stands there when there is none */
export const scopeTags = ({ scopes }: OwnApi, { apis }: Messages, none: string): Html =>
  scopes.length === 0
    ? html`<span class="quiet">${none}</span>`
    : html`${scopes.slice(0, NAMED).map(({ name }) => html`<code class="tag">${name}</code> `)}${
        scopes.length > NAMED &&
        html`<span class="quiet">${apis.list.moreScopes(scopes.length - NAMED)}</span>`
      }`;
