// Static files: a fixed map read at start, so that no address can lead anywhere else.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { buttonStylesheetPath, copyScriptPath, logoPath, stylesheetPath } from '../web/html/asset-paths.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const FILES: Record<string, { file: string; type: string }> = {
  [stylesheetPath]: { file: 'sesame.css', type: CSS },
  [buttonStylesheetPath]: { file: 'button.css', type: CSS },
  '/submit.js': { file: 'submit.js', type: SCRIPT },
  [copyScriptPath]: { file: 'copy.js', type: SCRIPT },
  [logoPath]: { file: 'logo.svg', type: 'image/svg+xml; charset=utf-8' },
  '/favicon.ico': { file: 'logo.svg', type: 'image/svg+xml; charset=utf-8' },
};

export function assetRoutes(app: FastifyInstance): void {
  for (const [address, { file, type }] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`../public/${file}`, import.meta.url));
    const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
    app.get(address, async (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=3600',
        // Client applications show the logo and the button on their own pages.
        'cross-origin-resource-policy': 'cross-origin',
        etag,
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type(type).send(content);
    });
  }
}
