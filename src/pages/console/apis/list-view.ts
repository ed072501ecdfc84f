// The look of an API in the list of a user's APIs.

import type { Messages } from '../../../i18n/index.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tag } from '../../../web/html/tag.ts';
import { day } from '../../../web/html/time.ts';
import { apiAddress } from '../frame-view.ts';
import { scopeTags } from './scope-tags-view.ts';

export function apiCard(api: OwnApi, messages: Messages): Html {
  const { apiId, name, identifier, admits, suspended, createdAt } = api;
  const { list: text, admits: who, suspendedTag } = messages.apis;
  return html`<li class="card">
<div class="card-head">
<div class="card-title">
<h2><a href="${apiAddress(apiId)}"><bdi>${name}</bdi></a></h2>
<p class="quiet host">${identifier}</p>
</div>
<span class="tags">${tag(who[admits])}${suspended && tag(suspendedTag, 'stopped')}</span>
</div>
<dl class="facts facts--card">
<div><dt>${text.scopes}</dt><dd>${scopeTags(api, messages, text.noScopes)}</dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>
</li>
`;
}
