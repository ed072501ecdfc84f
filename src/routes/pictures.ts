// GET /pictures/… : pictures that people uploaded, for accounts and applications.
import type { FastifyInstance } from 'fastify';
import { PICTURES_PATH } from '../html/picture-address.ts';
import { notFound } from '../oauth/errors.ts';
import type { Parts } from '../parts.ts';
import { UNCOUNTED } from '../plugins/route-config.ts';
import { findPicture } from '../store/pictures.ts';

const HASH = /^[A-Za-z0-9_-]{43}$/;

export function pictureRoutes(app: FastifyInstance, { database }: Parts): void {
  app.get<{ Params: { hash: string } }>(
    `${PICTURES_PATH}:hash`,
    { config: UNCOUNTED, exposeHeadRoute: true },
    async (request, reply) => {
      const { hash } = request.params;
      const picture = HASH.test(hash) ? await findPicture(database, hash) : undefined;
      if (picture === undefined) throw notFound();
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'cross-origin',
          'content-security-policy': "default-src 'none'",
        })
        .type(picture.type)
        .send(picture.content);
    },
  );
}
