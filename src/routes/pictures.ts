// GET /pictures/…: account pictures and client logos. GET /avatars/initials/…: generated avatars.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';
import { notFound } from '../oauth/errors.ts';
import { findPicture } from '../store/pictures.ts';
import { INITIALS_PATH, initialsAvatar, PICTURES_PATH } from '../web/html/pictures.ts';
import { quietInDevelopment } from './assets.ts';

const HASH_PATTERN = /^[A-Za-z0-9_-]{43}$/;
const INITIALS_PATTERN = /^(.{1,4}?)-([0-7])(?:-([0-7]))?\.svg$/su;

export function pictureRoutes(app: FastifyInstance, { config, database }: Services): void {
  app.get<{ Params: { hash: string } }>(
    `${PICTURES_PATH}:hash`,
    quietInDevelopment(config),
    async (request, reply) => {
      const { hash } = request.params;
      const picture = HASH_PATTERN.test(hash) ? await findPicture(database, hash) : undefined;
      if (picture === undefined) throw notFound();
      const etag = `"${hash}"`;
      reply.headers({
        // Caches must not serve deleted pictures.
        'cache-control': 'public, no-cache',
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'",
        etag,
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type(picture.type).send(picture.content);
    },
  );

  app.get<{ Params: { file: string } }>(
    `${INITIALS_PATH}:file`,
    quietInDevelopment(config),
    async (request, reply) => {
      const match = INITIALS_PATTERN.exec(request.params.file);
      if (match === null) throw notFound();
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'cross-origin',
          'content-security-policy': "default-src 'none'",
        })
        .type('image/svg+xml; charset=utf-8')
        .send(
          initialsAvatar(
            match[1] ?? '',
            Number(match[2]),
            match[3] === undefined ? undefined : Number(match[3]),
          ),
        );
    },
  );
}
