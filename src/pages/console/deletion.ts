// …/delete of an application or an API.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { Parts } from '../../http/parts.ts';
import { deleteThing } from '../../ownership/deletion.ts';
import { countPeople } from '../../store/applications.ts';
import { isOwn } from '../../store/owned.ts';
import type { Fault } from '../../web/faults.ts';
import { deletionView } from './deletion-view.ts';
import { idOf } from './frame-view.ts';
import { ownerOf, type Section } from './sections.ts';

export function deletionPage(area: FastifyInstance, parts: Parts, { kind, list, url, find }: Section): void {
  const { database } = parts;
  const nameDiffers: Fault = { field: 'name', text: ({ ownership }) => ownership.remove.nameDiffers[kind] };

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
        main: (form) => deletionView({ ...form, thing, people, typed: fields.name }),
      };
    },
  });
}
