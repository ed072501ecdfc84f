// /account/picture: the picture that applications and other people see of a person.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { keepPersonsPicture } from '../../accounts/profile.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { avatarAddress } from '../../web/html/picture-address.ts';
import { memberOf } from '../../web/member.ts';
import { fileOf } from '../../web/uploads.ts';
import { pictureView } from './picture-view.ts';

const PATH = '/account/picture';

export function picturePage(area: FastifyInstance, parts: Parts): void {
  const keep = (request: FastifyRequest, picture: Awaited<ReturnType<typeof encodePicture>> | null) => {
    const own = { userId: memberOf(request).userId, address: addressOf(request) };
    return keepPersonsPicture(parts.database, own, picture ?? null, parts.now());
  };

  area.formPage({
    url: PATH,
    upload: true,
    about: memberOf,
    read: () => ({}),
    async act({ request }) {
      const file = fileOf(request, 'picture');
      const picture = file && (await encodePicture(file));
      if (picture === undefined) {
        const fault = file === undefined ? 'missing' : 'unreadable';
        return { faults: [{ field: 'picture', text: ({ account }) => account.picture[fault] }] };
      }
      await keep(request, picture);
      return `${PATH}?done=changed`;
    },
    done: ({ account: { picture } }) => ({ changed: picture.changed, removed: picture.removed }),
    page: ({ about: member }) => ({
      title: (messages) => messages.account.picture.title,
      main: (form) =>
        pictureView({ ...form, avatar: avatarAddress('', member), own: member.pictureHash !== null }),
    }),
  });

  area.formWithin({
    url: `${PATH}/remove`,
    page: PATH,
    async act(request) {
      await keep(request, null);
      return `${PATH}?done=removed`;
    },
  });
}
