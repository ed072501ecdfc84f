// …/delete of an application or an API.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { Parts } from '../../http/parts.ts';
import { deleteThing } from '../../ownership/deletion.ts';
import { countPeople } from '../../store/applications.ts';
import { isOwn } from '../../store/owned.ts';
import type { Fault } from '../../web/faults.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { idOf, kindOf, type Thing, thingAddress, way } from './frame-view.ts';
import { ownerOf, type Section } from './sections.ts';

export function deletionPage(area: FastifyInstance, parts: Parts, { kind, list, url, find }: Section): void {
  const { database } = parts;
  const nameDiffers: Fault = { field: 'name', text: ({ ownership }) => ownership.remove.nameDiffers };

  area.formPage({
    url: `${url}/delete`,
    about: (request) => find(request, parts),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ about: { name }, fields }) => (cleanName(fields.name) === name ? [] : [nameDiffers]),
    proof: true,
    deletes: true,
    async act({ request, about: thing }, transaction) {
      const [owner, id, { name }] = [ownerOf(request), idOf(thing), thing];
      const deleted = await deleteThing(kind, transaction, owner, id, name, parts.now());
      // Renamed since the page was loaded, unless another form deleted it.
      if (!deleted && (await isOwn(transaction, kind, owner.userId, id))) return { faults: [nameDiffers] };
      return { to: `${list}?done=deleted`, notice: deleted ? `${kind}_deleted` : undefined, subject: name };
    },
    async page({ about: thing, fields }) {
      const people = kind === 'application' ? await countPeople(database, idOf(thing)) : undefined;
      return {
        title: ({ ownership }) => ownership.remove.title(thing.name),
        main: (form) => deletionView(form, thing, people, fields.name),
      };
    },
  });
}

/** @param people how many are signed in to an application */
function deletionView(view: FormState, thing: Thing, people: number | undefined, typed: string): Html {
  const { messages, csrf, errors } = view;
  const text = messages.ownership.remove;
  return html`${way(messages, thing, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(thing.name)}</h1>
<p class="warning">${people !== undefined && html`${text.people(people)} `}${text.text[kindOf(thing)]}</p>
${form({
  action: thingAddress(thing, 'delete'),
  csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(thing.name),
    value: typed,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: thingAddress(thing), kind: 'secondary' })}
</div>`,
})}`;
}
