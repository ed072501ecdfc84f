// /console/apis/:api_id/keys: the public keys by which an API may authenticate instead of a secret.
import type { FastifyInstance } from 'fastify';
import { changeKeys } from '../../../apis/changes.ts';
import { readKeys } from '../../../applications/protocol-fields.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { settingsError } from '../settings-errors.ts';
import { keysView } from './keys-view.ts';

export function apiKeysPage(area: FastifyInstance, parts: Parts): void {
  const inWords = settingsError();
  area.formPage({
    url: `${APIS}/:api_id/keys`,
    about: (request) => ownApi(request, parts),
    begin: ({ jwks }) => ({ jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2) }),
    read: (form) => ({ jwks: form.get('jwks') ?? '' }),
    async faults({ fields }) {
      const keys = await readKeys(fields.jwks);
      return keys !== null && 'fault' in keys ? [inWords(keys)] : [];
    },
    proof: true,
    async act({ request, about: { apiId, name }, fields }) {
      const jwks = await readKeys(fields.jwks);
      if (jwks !== null && 'fault' in jwks) return { faults: [inWords(jwks)] };
      if (!(await changeKeys(parts.database, ownerOf(request), apiId, jwks, parts.now()))) throw notFound();
      return { to: `${apiAddress(apiId, 'keys')}?done=changed`, notice: 'api_keys_changed', subject: name };
    },
    done: ({ apis }) => ({ changed: apis.keys.done }),
    page: ({ about: api, fields }) => ({
      title: (messages) => messages.apis.keys.title(api.name),
      main: (form) => keysView({ ...form, api, jwks: fields.jwks }),
    }),
  });
}
