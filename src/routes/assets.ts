// Static files: a fixed map read at start, so that no address can lead anywhere else.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { accentFrom, accentStyles } from '../branding/accent.ts';
import type { Config } from '../config.ts';
import {
  buttonStylesheetPath,
  copyScriptPath,
  fontPath,
  logoPath,
  pageScriptPath,
  stylesheetPath,
} from '../web/html/asset-paths.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml; charset=utf-8';

/** The stylesheet of every page, one after the other: a later one may say more of what an earlier one began. */
const STYLES = [
  'tokens',
  'page',
  'house',
  'text',
  'forms',
  'facts',
  'consent',
  'door',
  'code',
  'operations',
  'account',
  'console',
  'diagnostics',
  'dev-mail',
].map((name) => `styles/${name}.css`);

const FILES: Record<string, { files: string[]; type: string }> = {
  [stylesheetPath]: { files: STYLES, type: CSS },
  [buttonStylesheetPath]: { files: ['button.css'], type: CSS },
  [fontPath]: { files: ['figtree.woff2'], type: 'font/woff2' },
  [pageScriptPath]: { files: ['page.js'], type: SCRIPT },
  '/submit.js': { files: ['submit.js'], type: SCRIPT },
  [copyScriptPath]: { files: ['copy.js'], type: SCRIPT },
  [logoPath]: { files: ['logo.svg'], type: SVG },
  '/favicon.ico': { files: ['logo.svg'], type: SVG },
};

export function assetRoutes(app: FastifyInstance, { config }: { config: Config }): void {
  for (const [address, { files, type }] of Object.entries(FILES)) {
    const content = Buffer.concat([
      ...files.map((file) => readFileSync(new URL(`../public/${file}`, import.meta.url))),
      ...(address === stylesheetPath ? [Buffer.from(ownStyles(config))] : []),
    ]);
    const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
    // The same bytes for everybody: nothing secret can be guessed from their length.
    const packed = type.startsWith('font/') ? undefined : brotliCompressSync(content);
    app.get(address, async (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=3600',
        // Client applications show the logo and the button on their own pages.
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'accept-encoding',
        etag,
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      reply.type(type);
      if (packed === undefined || !takesBrotli(request.headers['accept-encoding']))
        return reply.send(content);
      return reply.header('content-encoding', 'br').send(packed);
    });
  }
}

/** What the operator's settings say last: it takes the place of what stands before it. */
const ownStyles = ({ accentColor, accentColorDark }: Config): string =>
  accentColor === undefined ? '' : accentStyles(accentFrom(accentColor, accentColorDark));

const takesBrotli = (encodings: string | string[] = ''): boolean =>
  /\bbr\b(?!\s*;\s*q=0)/.test(`${encodings}`);
