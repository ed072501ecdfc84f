// Static files: a fixed map read at start, so that no address can lead anywhere else.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { accentFrom, accentStyles } from '../branding/accent.ts';
import { asSvg, type ImageFile } from '../branding/image-file.ts';
import type { Config } from '../config.ts';
import {
  buttonStylesheetPath,
  fontPath,
  logoPath,
  pageScriptPath,
  passkeyScriptPath,
  stylesheetPath,
  webauthnScriptPath,
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
  'passwords',
  'passkeys',
  'facts',
  'consent',
  'accounts',
  'door',
  'code',
  'operations',
  'charts',
  'account',
  'overview',
  'console',
  'diagnostics',
  'dev-mail',
  'print',
].map((name) => `styles/${name}.css`);

// As its makers bundle it.
const WEBAUTHN = readFileSync(
  join(
    dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser')),
    '../dist/bundle/index.umd.min.js',
  ),
);

interface Asset {
  type: string;
  content: Buffer;
  /** A file of somebody else's making: opened by itself, it is a picture and nothing more. */
  foreign?: boolean;
}

function assetsOf(config: Config): Record<string, Asset> {
  const logo = config.logo === undefined ? ours(SVG, 'logo.svg') : drawn(config.logo);
  return {
    [stylesheetPath]: lean(ours(CSS, ...STYLES, Buffer.from(ownStyles(config)))),
    [buttonStylesheetPath]: ours(CSS, 'button.css'),
    [fontPath]: ours('font/woff2', 'figtree.woff2'),
    // Browsers ask for six files at a time: what is asked for beside the styles is one.
    [pageScriptPath]: lean(ours(SCRIPT, 'page.js', 'copy.js', 'decision.js')),
    [webauthnScriptPath]: { type: SCRIPT, content: WEBAUTHN },
    [passkeyScriptPath]: lean(ours(SCRIPT, 'passkeys.js')),
    '/fields.js': lean(ours(SCRIPT, 'fields.js')),
    '/submit.js': lean(ours(SCRIPT, 'submit.js')),
    [logoPath]: logo,
    '/favicon.ico': logo,
  };
}

const ours = (type: string, ...parts: (string | Buffer)[]): Asset => ({
  type,
  content: Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? readFileSync(new URL(`../public/${part}`, import.meta.url)) : part,
    ),
  ),
});

/** Without its comments and its indents, which nobody reads there. */
const lean = ({ type, content }: Asset): Asset => ({
  type,
  content: Buffer.from(
    content
      .toString('utf8')
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/^\s*\/\/.*$/gm, '')
      .replace(/^\s+/gm, ''),
  ),
});

const drawn = (image: ImageFile): Asset => ({ type: SVG, content: asSvg(image), foreign: true });

/** What the operator's settings say last: it takes the place of what stands before it. */
const ownStyles = ({ accentColor }: Config): string =>
  accentColor === undefined ? '' : accentStyles(accentFrom(accentColor));

export function assetRoutes(app: FastifyInstance, { config }: { config: Config }): void {
  for (const [address, { type, content, foreign }] of Object.entries(assetsOf(config))) {
    const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
    // The same bytes for everybody: nothing secret can be guessed from their length.
    const packs = /^(?:text|image\/svg)/.test(type);
    let packed: Promise<Buffer> | undefined;
    app.get(address, unlogged(config), async (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=3600',
        // Client applications show the logo and the button on their own pages.
        'cross-origin-resource-policy': 'cross-origin',
        ...(foreign && {
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
        }),
        vary: 'accept-encoding',
        etag,
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      reply.type(type);
      if (!packs || !takesBrotli(request.headers['accept-encoding'])) return reply.send(content);
      // By whoever asks first, aside: it takes longer than starting all the rest.
      packed ??= pack(content);
      return reply.header('content-encoding', 'br').send(await packed);
    });
  }
}

/** In development the log has no line for each file of a page. */
export const unlogged = ({ development }: Config): { logLevel?: 'warn' } =>
  development ? { logLevel: 'warn' } : {};

const pack = promisify<Buffer, Buffer>(brotliCompress);

const takesBrotli = (encodings: string | string[] = ''): boolean =>
  /\bbr\b(?!\s*;\s*q=0)/.test(`${encodings}`);
